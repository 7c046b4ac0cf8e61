/** The calls of automatic top-up. */
import { runTopUps } from '#topup'
import { mostSavedMethods } from '#contract/topup/rules'
import { press } from '../app.ts'
import { topUpDeps } from '../../src/main/services.ts'
import type { Story } from './story.ts'

const as = 'anna_smith'
const wish = { pool: 'residential', below_bytes: 2_000_000_000, gb: 10, month_usd: 150 }

export async function topUps(story: Story): Promise<void> {
  const { shop } = story
  const { call } = await story.customer(as)
  await story.ask('get_top_ups', 'success-nothing-saved', { as })
  await save(story, call)
  await story.ask('get_top_ups', 'success-a-saved-card', { as, language: 'en' })
  const { saved } = await call('get_top_ups', {})
  const terms = { ...wish, method_id: saved[0]?.id ?? '' }
  const told = await story.ask('top_up_consent', 'success', { as, input: terms })
  const { sha256: consent } = JSON.parse(told) as { sha256: string }
  await story.ask('top_up_consent', 'success-in-english', { as, input: terms, language: 'en' })
  await faults(story, terms, consent)
  await story.ask('set_top_up', 'success', { as, input: { ...terms, consent } })
  // The balance is below the threshold: the first charge is made at once.
  await runTopUps(shop.database, topUpDeps(shop.services), shop.clock.now)
  story.know('number of the charge', (await call('get_top_ups', {})).pools[0]?.last?.invoice ?? '')
  await story.ask('get_top_ups', 'success', { as })
  await story.ask('switch_off_top_up', 'success', { as, input: { pool: 'residential' } })
  const invalid = { as, input: { pool: 'satellite' }, ends: { status: 422, code: 'invalid_pool' } } as const
  await story.ask('switch_off_top_up', 'invalid-pool', invalid)
  await story.ask('remove_saved_method', 'success', { as, input: { id: terms.method_id } })
  const gone = { as, ends: 'saved_method_not_found' } as const
  await tooMany(story)
  await story.ask('remove_saved_method', 'saved-method-not-found', {
    ...gone,
    input: { id: terms.method_id },
  })
}

/** As many methods as a customer may have. */
async function tooMany(story: Story): Promise<void> {
  const { call } = await story.customer('boris_ivanov')
  const { rows } = await story.shop.database.pool.query<{ id: bigint }>(
    "select id from account where username = 'boris_ivanov'",
  )
  for (let card = 0; card < mostSavedMethods; card++)
    await story.shop.database.pool.query(
      `insert into saved_method (account_id, method, sealed, brand, last4, saved_at, identity)
       values ($1, 'sandbox', '', 'Visa', $2, now(), sha256($2::text::bytea))`,
      [rows[0]?.id, `000${card}`],
    )
  const { save_consent: consent } = await call('get_top_ups', {})
  await story.ask('create_invoice_web', 'too-many-saved-methods', {
    as: 'boris_ivanov',
    ends: 'too_many_saved_methods',
    input: { payment_method: 'sandbox', amount: 1, pool: 'residential', save_consent: consent.sha256 },
  })
}

async function save({ shop }: Story, call: Awaited<ReturnType<Story['customer']>>['call']): Promise<void> {
  const { save_consent: consent } = await call('get_top_ups', {})
  const order = {
    payment_method: 'sandbox',
    amount: 1,
    pool: 'residential',
    save_consent: consent.sha256,
  } as const
  const url = await call('create_invoice_web', order)
  await press(shop.origin, url.split('/').at(-1) ?? '', 'paid')
  await runTopUps(shop.database, topUpDeps(shop.services), shop.clock.now)
}

async function faults(
  story: Story,
  terms: typeof wish & { method_id: string },
  consent: string,
): Promise<void> {
  for (const call of ['top_up_consent', 'set_top_up'] as const) {
    const agreed = call === 'set_top_up' ? { consent } : {}
    const ask = (name: string, change: object, ends: string) =>
      story.ask(call, name, { as, input: { ...terms, ...agreed, ...change }, ends: ends as 'not_found' })
    await ask('saved-method-not-found', { method_id: '999999' }, 'saved_method_not_found')
    await ask('top-up-too-small', { gb: 1 }, 'top_up_too_small')
    await ask('top-up-bound-too-low', { month_usd: 1 }, 'top_up_bound_too_low')
    await ask('invalid-byte-cap', { below_bytes: 5 }, 'invalid_byte_cap')
    await ask('amount-too-large', { gb: 99_999_999, month_usd: 1_000_000 }, 'amount_too_large')
  }
  const { pool } = story.shop.database
  await pool.query("update saved_method set method = 'card' where id = $1", [terms.method_id])
  const unavailable = { as, ends: 'top_up_unavailable' } as const
  await story.ask('top_up_consent', 'top-up-unavailable', { ...unavailable, input: terms })
  await story.ask('set_top_up', 'top-up-unavailable', { ...unavailable, input: { ...terms, consent } })
  await pool.query("update saved_method set method = 'sandbox' where id = $1", [terms.method_id])
  const outdated = { as, ends: 'consent_outdated' } as const
  await story.ask('set_top_up', 'consent-outdated', {
    ...outdated,
    input: { ...terms, consent: 'f'.repeat(64) },
  })
  const order = { amount: 1, pool: 'residential', save_consent: 'f'.repeat(64) }
  await story.ask('create_invoice_web', 'consent-outdated', {
    ...outdated,
    input: { ...order, payment_method: 'sandbox' },
  })
  await story.ask('create_invoice_web', 'top-up-unavailable', {
    ...unavailable,
    input: { ...order, payment_method: 'card' },
  })
}
