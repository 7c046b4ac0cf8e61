import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { app, type App, type Customer, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { FakeBtcpay } from '#test/processors/btcpay'

const fake = new FakeBtcpay()
let shop: App
let office: Desk
let owner: StaffMember
let customer: Customer

beforeAll(async () => {
  await fake.start()
  shop = await app({ env: { DEMO: '0' }, methods: [fake.method()] })
  office = await desk(shop)
  owner = await office.staff('owner')
  customer = await shop.customer()
})
afterAll(async () => {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  await office.close()
  await shop.close()
  fake.stop()
})
beforeEach(async () => {
  fake.calm()
  await owner.call('session', {})
})

/** An open invoice at the processor. */
async function order() {
  await customer.call('create_invoice_web', { payment_method: 'crypto', amount: 10, pool: 'residential' })
  const externalId = [...fake.invoices.keys()].at(-1) ?? ''
  const [row] = (await owner.call('invoices', { method: 'crypto', limit: 1 })).rows
  return { externalId, number: row?.number ?? '' }
}

describe('asking the processor', () => {
  it('credits a payment once, however often it is repeated, and is in trail and timeline', async () => {
    const { number, externalId } = await order()
    expect(await owner.call('ask_processor', { number })).toEqual({ verdict: 'waiting' })
    fake.pay(externalId)
    const reason = 'the customer wrote'
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => owner.call('ask_processor', { number, reason })),
    )
    expect(asked.filter(({ verdict }) => verdict === 'credited')).toHaveLength(1)
    const invoice = await owner.call('invoice', { number })
    expect(invoice).toMatchObject({ state: 'paid', credited_bytes: '10000000000' })
    expect(invoice.acts).toHaveLength(6)
    expect(invoice.acts.filter(({ verdict }) => verdict === 'credited')).toMatchObject([
      { action: 'ask_processor', by: { name: owner.name }, reason },
    ])
  })

  it('leaves no entry when the processor does not answer, or is not there', async () => {
    const { number } = await order()
    fake.trouble(500)
    expect((await refusalOf(owner.call('ask_processor', { number }))).code).toBe('payment_failed')
    const bought = await shop.buy(customer, { pool: 'residential', gb: 1 })
    expect((await refusalOf(owner.call('ask_processor', { number: bought }))).code).toBe('nothing_to_ask')
    expect((await refusalOf(owner.call('ask_processor', { number: 'nosuch' }))).code).toBe(
      'invoice_not_found',
    )
    for (const each of [number, bought])
      expect((await owner.call('invoice', { number: each })).acts).toEqual([])
  })

  it('is not for support', async () => {
    const support = await office.staff('support')
    const { number } = await order()
    expect((await refusalOf(support.call('ask_processor', { number }))).code).toBe('no_permission')
  })
})

describe('a replay of a notification', () => {
  it('counts no payment twice, and is recorded with its verdict', async () => {
    const number = await shop.buy(customer, { pool: 'residential', gb: 2 })
    const before = await owner.call('invoice', { number })
    const [event] = before.events
    expect(event?.verdict).toBe('credited')
    const id = event?.id ?? ''
    expect(await owner.call('replay_payment_event', { id, reason: 'checking' })).toEqual({
      verdict: 'known_payment',
    })
    const after = await owner.call('invoice', { number })
    expect(after).toMatchObject({ credited_bytes: before.credited_bytes, payments: before.payments })
    expect(after.events).toMatchObject([{ id, verdict: 'credited' }])
    expect(after.acts).toMatchObject([
      { action: 'replay_payment_event', verdict: 'known_payment', reason: 'checking' },
    ])
    expect((await refusalOf(owner.call('replay_payment_event', { id: '999999' }))).code).toBe(
      'payment_event_not_found',
    )
  })

  it('of a forged one is refused again', async () => {
    const answer = await fetch(new URL('/api/webhooks/crypto', shop.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'btcpay-sig': 'sha256=00' },
      body: '{"type":"InvoiceSettled"}',
    })
    expect(answer.ok).toBe(false)
    const [forged] = (await owner.call('payment_events', { verdict: 'forged' })).rows
    expect((await refusalOf(owner.call('replay_payment_event', { id: forged?.id ?? '' }))).code).toBe(
      'invalid_webhook_signature',
    )
  })
})

it('an invoice shows what the inviter earned by it', async () => {
  const inviter = await shop.customer()
  const [profile] = await inviter.call('legacy_profile', {})
  const link = (await inviter.call('legacy_referal_info', {})) as unknown
  const code = /[?&]ref=([^"&]+)/.exec(JSON.stringify(link))?.[1] ?? ''
  const invited = await shop.customer()
  await shop.database.pool.query(
    'update account set invited_by = (select id from account where ref_code = $1) where username = $2',
    [code, invited.username],
  )
  const number = await shop.buy(invited, { pool: 'residential', gb: 10 })
  const { referral, received_micros: received } = await owner.call('invoice', { number })
  expect(referral).toMatchObject({ inviter_id: String(profile?.user_id), undone_micros: '0' })
  expect(BigInt(referral?.earned_micros ?? 0)).toBe(
    (BigInt(received) * BigInt(referral?.share_ppm ?? 0)) / 1_000_000n,
  )
})
