/** The calls of payouts of the referral balance. */
import { sql } from 'kysely'
import { transaction } from '#db'
import { giveMoney, payoutById, refusePayout, takePayout } from '#referral'
import { keyed } from './shared.ts'
import type { Story } from './story.ts'

export async function payouts(story: Story): Promise<void> {
  const as = 'anna_smith'
  await story.customer(as)
  const { shop } = story
  const { db } = shop.database
  const setting = (name: string, value: number) =>
    sql`insert into shop_setting (name, value, changed_by, changed_at) values (${name}, ${value}, 'test', now())`.execute(
      db,
    )
  const { id: accountId } = await db
    .selectFrom('account')
    .select('id')
    .where('username', '=', as)
    .executeTakeFirstOrThrow()
  // Makes the account's device long known: a new device would delay a payout.
  await sql`update account_device set first_at = '2020-01-01'`.execute(db)
  await transaction(db, (tx) =>
    giveMoney(tx, { accountId, micros: 40_000_000n, kind: 'staff_gift', reference: 'golden' }),
  )
  const { input, key } = keyed.request_payout
  const ask = (name: string, ends?: string, more: object = {}, headers: Record<string, string> = {}) =>
    story.ask('request_payout', name, {
      as,
      input: { ...input, ...more },
      headers,
      ...(ends === undefined ? {} : { ends: ends as never }),
    })
  const cancel = (name: string, number: number, ends?: string) =>
    story.ask('cancel_payout', name, {
      as,
      input: { number },
      ...(ends === undefined ? {} : { ends: ends as never }),
    })
  await story.ask('get_payouts', 'success-off', { as })
  await ask('off', 'payouts_off')
  await setting('payouts', 1)
  await setting('payout_least_micros', 2_000_000)
  await story.ask('get_payouts', 'success-none', { as })
  await ask('success', undefined, {}, { 'idempotency-key': key })
  await ask('success-the-same-key-again', undefined, {}, { 'idempotency-key': key })
  await ask('open', 'payout_open')
  await cancel('success', 1)
  await cancel('not-found', 7, 'payout_not_found')
  await ask('too-small', 'payout_too_small', { micros: '1999999' })
  await ask('not-covered', 'insufficient_referral_balance', { micros: '40000001' })
  await ask('bad-wallet', 'payout_address', { network: 'btc' })
  await setting('payout_btc', 0)
  await ask('network', 'payout_network', { network: 'btc' })
  await sql`update session set proved_at = null`.execute(db)
  await ask('proof-needed', 'proof_needed')
  await sql`update session set proved_at = ${shop.clock.now}`.execute(db)
  await sql`insert into security_changed values (${accountId}, ${shop.clock.now})`.execute(db)
  await ask('on-hold', 'payout_on_hold')
  await sql`delete from security_changed`.execute(db)
  await ask('success-another', undefined, { micros: '7000000' })
  const { rows } = await sql<{ id: bigint }>`select max(id) as id from referral_payout`.execute(db)
  const id = rows[0]?.id ?? 0n
  const { micros } = (await payoutById(db, id)) ?? { micros: 0n }
  await transaction(db, (tx) => takePayout(tx, { id, micros }, shop.clock.now))
  await cancel('not-open', 2, 'payout_not_open')
  await transaction(db, (tx) => refusePayout(tx, { id, reason: 'The wallet is closed.' }, shop.clock.now))
  await story.ask('get_payouts', 'success', { as })
}
