import { afterAll, beforeAll, expect, it } from 'vitest'
import { app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let accountant: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  accountant = await office.staff('accountant')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const processor = async (name: string) =>
  (await accountant.call('processors', {})).find(({ method }) => method === name)

it('the list of processors has the fee terms of processors that do not report their fees', async () => {
  const owner = await office.staff('owner')
  const reason = 'by the contract'
  const terms = { percent_ppm: 29_000, fixed_micros: '300000', reason }
  const set = (method: string, more: object = {}) =>
    owner.call('set_fee_terms', { method, ...terms, ...more })
  const early = new Date(shop.clock.now.getTime() - 3_600_000).toISOString()
  await set('sandbox', { from: early })
  await set('sandbox', { percent_ppm: 10_000 })
  const shown = (await processor('sandbox'))?.fee_terms
  expect(shown).toMatchObject([
    { percent_ppm: 10_000, fixed_micros: '300000', set_by: owner.name },
    { percent_ppm: 29_000, from: early },
  ])
  expect(await processor('sandbox')).toMatchObject({ reports_fees: false })
  const refused = await Promise.all(
    [set('nosuch'), set('sandbox', { percent_ppm: 1_000_001 }), set('sandbox', { reason: '' })].map(
      refusalOf,
    ),
  )
  expect(refused.map(({ code }) => code)).toEqual(['unknown_method', 'invalid_percent_ppm', 'invalid_reason'])
  expect((await refusalOf(accountant.call('set_fee_terms', { method: 'sandbox', ...terms }))).code).toBe(
    'no_permission',
  )
})

it('the list of processors shows when a processor last notified, the outcome, and the refunds that it still has to make', async () => {
  const customer = await shop.customer()
  const before = BigInt(
    (await processor('sandbox'))?.verdicts.find(({ verdict }) => verdict === 'credited')?.count ?? 0,
  )
  const number = await shop.buy(customer, { pool: 'residential', gb: 1 })
  const heard = await processor('sandbox')
  expect(heard).toMatchObject({ is_set: true, currency: 'USD', needs_rate: false, refunds_failed: '0' })
  expect(heard?.credited_at).not.toBeNull()
  expect(heard?.heard_at).toBe(heard?.credited_at)
  expect(BigInt(heard?.verdicts.find(({ verdict }) => verdict === 'credited')?.count ?? 0)).toBe(before + 1n)

  // A forged notification does not come from the processor.
  const later = new Date(Date.parse(heard?.heard_at ?? '') + 60_000)
  await shop.database.pool.query(
    `insert into webhook_event (method, dedupe_key, headers, body, body_bytes, ip, received_at, judged_at, verdict)
     values ('sandbox', repeat('0', 64), '{}', '', 0, '203.0.113.1', $1, $1, 'forged'),
       ('card', repeat('1', 64), '{}', '', 0, '203.0.113.1', $1, $1, 'forged')`,
    [later],
  )
  expect((await processor('sandbox'))?.heard_at).toBe(heard?.heard_at)
  expect(await processor('card')).toMatchObject({ is_set: false, heard_at: null, currency: null })
  const forged = await accountant.call('payment_events', { verdict: 'forged' })
  expect(forged.rows.map(({ method }) => method).toSorted()).toEqual(['card', 'sandbox'])

  await shop.database.pool.query(
    `insert into refund (name, invoice_id, method, way, state, external_id, currency, amount_micros, usd_micros, attempts, fault, claim_url,
       created_at, booked_at, ended_at)
     select 'r', id, 'crypto', 'processor', 'failed', 'x', 'USD', 1500000, 1500000, 3, 'it refused', 'https://pay.example/claim',
       now(), now(), now() from invoice where number = $1`,
    [number],
  )
  expect(await processor('crypto')).toMatchObject({ is_set: false, refunds_due: '0', refunds_failed: '1' })
  const asked = { state: 'failed', limit: 1 } as const
  expect(await accountant.call('payment_refunds', asked)).toMatchObject({
    rows: [{ invoice_number: number, micros: '1500000', attempts: 3, fault: 'it refused', sent_at: null }],
    next: null,
  })
  expect((await accountant.call('payment_refunds', { state: 'sent' })).rows).toEqual([])
  expect((await accountant.call('payment_refunds', { method: 'card' })).rows).toEqual([])

  // Its holder can claim the money.
  const claimOf = async (member: StaffMember) =>
    (await member.call('invoice', { number })).refunds[0]?.claim_url
  expect(await claimOf(accountant)).toBe('https://pay.example/claim')
  expect(await claimOf(await office.staff('viewer'))).toBeNull()
})

it('the desk lists disputes by the time to answer them, and warns on Today of those that are due soon', async () => {
  const customer = await shop.customer()
  const { now } = shop.clock
  const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
  const disputed = async (state: string | null, respondBy: Date | null) => {
    const number = await shop.buy(customer, { pool: 'mobile', gb: 1 })
    await shop.database.pool.query(
      'update invoice set disputed_at = $2, dispute_state = $3, dispute_respond_by = $4 where number = $1',
      [number, now, state, respondBy],
    )
    return number
  }
  const lost = await disputed('lost', inDays(-4))
  const later = await disputed('needs_response', inDays(5))
  const untold = await disputed(null, null)
  const answered = await disputed('under_review', inDays(1))
  const soon = await disputed('needs_response', inDays(2))
  const again = await disputed('needs_response', inDays(2))
  const order = [again, soon, later, untold, answered, lost]
  const all = await accountant.call('disputes', {})
  expect(all.rows.map((row) => row.invoice_number)).toEqual(order)
  expect(all.rows[0]).toMatchObject({
    state: 'needs_response',
    is_open: true,
    respond_by: inDays(2).toISOString(),
  })
  expect(
    (await accountant.call('disputes', { state: 'open' })).rows.map((row) => row.invoice_number),
  ).toEqual(order.slice(0, -1))
  // Page by page, each once.
  const paged: string[] = []
  for (let after: string | undefined; ;) {
    const page = await accountant.call('disputes', { limit: 1, ...(after === undefined ? {} : { after }) })
    paged.push(...page.rows.map((row) => row.invoice_number))
    if (page.next === null) break
    after = page.next
  }
  expect(paged).toEqual(order)
  for (const after of [
    'x',
    Buffer.from('0\nnever\n1').toString('base64url'),
    Buffer.from('9\ninfinity\n1').toString('base64url'),
  ])
    expect((await refusalOf(accountant.call('disputes', { after }))).code).toBe('invalid_after')
  const needs = new Map((await accountant.call('today', {})).needs_you.map((need) => [need.kind, need]))
  expect(needs.get('dispute_due')).toMatchObject({
    count: 2,
    examples: [again, soon],
    href: '/payments?tab=disputes',
  })
  expect(needs.get('dispute')).toMatchObject({ count: 3, examples: [answered, untold, later] })
  expect(await accountant.call('invoice', { number: soon })).toMatchObject({
    dispute_state: 'needs_response',
    dispute_respond_by: inDays(2).toISOString(),
  })
})
