/** The calls of the money balance: topping it up, buying from it, reading it. */
import { removePrice } from '#catalog'
import { press } from '../app.ts'
import { guesses, makeCodes, offerCard } from './buying.ts'
import { keyed } from './shared.ts'
import type { Story } from './story.ts'

export async function balance(story: Story): Promise<void> {
  const { shop } = story
  const { db } = shop.database
  await makeCodes(story)
  await story.customer('anna_smith')
  const as = 'anna_smith'
  await story.ask('money_balance', 'success-nothing-yet', { as })
  const topUp = (name: string, given: object, asked: object = {}) =>
    story.ask('create_balance_invoice', name, {
      as,
      input: { payment_method: 'sandbox', amount_usd: 100, ...given },
      ...asked,
    })
  const headers = { 'idempotency-key': keyed.create_balance_invoice.key }
  const learn = { 'number of the top-up': /"number":"([^"]+)"/ }
  await topUp('success', {}, { headers, learn })
  await topUp('success-the-same-key-again', {}, { headers })
  for (const [name, amount] of [
    ['invalid-top-up-nothing', 0],
    ['invalid-top-up-a-fraction', 10.5],
    ['invalid-top-up-too-much', 10_001],
  ] as const)
    await topUp(name, { amount_usd: amount }, { ends: 'invalid_top_up' })
  await topUp(
    'payment-method-unavailable',
    { payment_method: 'crypto' },
    { ends: 'payment_method_unavailable' },
  )
  await offerCard(story, 0n)
  const notOffered = { payment_method: 'card' }
  await topUp('payment-method-not-offered', notOffered, { ends: 'payment_method_not_offered' })
  await offerCard(story, 1n)
  await topUp('invalid-payment-method', { payment_method: 'balance' }, { ends: 'invalid_payment_method' })
  await topUp('payment-failed', { payment_method: 'card' }, { ends: 'payment_failed' })
  await press(shop.origin, story.value('number of the top-up'), 'paid')

  const buy = (name: string, asked: object, given: object = {}) =>
    story.ask('buy', name, {
      as,
      input: { amount: 2, promocode: null, pool: 'residential', ...given },
      ...asked,
    })
  const key = { 'idempotency-key': keyed.buy.key }
  await buy('success', { headers: key, learn: { 'number of the purchase': /"invoice":"([^"]+)"/ } })
  await buy('success-the-same-key-again', { headers: key })
  await buy(
    'success-with-a-promo-code',
    { learn: { 'number of the second purchase': /"invoice":"([^"]+)"/ } },
    { amount: '1', promocode: 'SPRING' },
  )
  await buy('insufficient-balance', { ends: 'insufficient_balance' }, { amount: 1000 })
  await buy('promocode-person-limit', { ends: 'promocode_person_limit' }, { promocode: 'SPRING' })
  await buy('promocode-first-purchase', { ends: 'promocode_first_purchase' }, { promocode: 'NEWCOMER' })
  await buy('promocode-pool', { ends: 'promocode_pool' }, { promocode: 'MOBILE-ONLY' })
  await buy('promocode-invalid', { ends: 'promocode_invalid' }, { promocode: 'WINTER' })
  await buy('invalid-amount', { ends: 'invalid_amount' }, { amount: '' })
  await buy('amount-too-large', { ends: 'amount_too_large' }, { amount: 99_999_999 })
  await buy('amount-too-small', { ends: 'amount_too_small' }, { amount: 1, promocode: 'ALMOST-FREE' })
  await buy('invalid-pool', { ends: { status: 422, code: 'invalid_pool' } }, { pool: 'satellite' })
  await removePrice(db, 'mobile')
  await buy('invalid-pool-off-sale', { ends: 'invalid_pool' }, { pool: 'mobile' })
  await story.ask('money_balance', 'success-after-buying', {
    as,
    learn: {
      'time of the top-up': /"id":"1","at":"([^"]+)"/,
      'time of the purchase': /"id":"2","at":"([^"]+)"/,
      'time of the second purchase': /"id":"3","at":"([^"]+)"/,
    },
  })
  await guesses(story, as)
  await buy('too-many-attempts', { ends: 'too_many_attempts' }, { promocode: 'NOSUCHCODE' })

  await story.customer('boris_ivanov')
  const orders = shop.client(story.value('token of boris_ivanov'))
  for (let open = 0; open < 20; open++)
    await orders('create_invoice_web', { payment_method: 'sandbox', amount: 5, pool: 'residential' })
  await story.ask('create_balance_invoice', 'too-many-open-invoices', {
    ends: 'too_many_open_invoices',
    as: 'boris_ivanov',
    input: { payment_method: 'sandbox', amount_usd: 100 },
  })
}
