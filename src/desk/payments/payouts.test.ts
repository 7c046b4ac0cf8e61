import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Role } from '#contract/desk/roles'
import { transaction } from '#db'
import { previewErasure } from '#personal-data'
import { giveMoney, verifyPayouts } from '#referral'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { eraseAsShown } from '#test/erasure'

const wallet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const reason = 'the wallet is closed'

let shop: App
let office: Desk
const staff = new Map<Role, StaffMember>()
const as = (role: Role) => {
  const member = staff.get(role)
  if (member === undefined) throw new Error(`there is no ${role}`)
  return member
}

beforeAll(async () => {
  shop = await app({ env: { PAYOUTS: '1', PAYOUT_LEAST_USD: '1' } })
  office = await desk(shop)
  for (const role of ['owner', 'accountant', 'support', 'viewer'] as const)
    staff.set(role, await office.staff(role))
})
afterAll(async () => {
  expect(await verifyPayouts(shop.database.db)).toEqual([])
  await office.close()
  await shop.close()
})

async function asking(micros: bigint): Promise<Customer & { accountId: string; id: string }> {
  const customer = await shop.customer()
  const accountId = await accountIdOf(customer)
  await transaction(shop.database.db, (tx) =>
    giveMoney(tx, { accountId: BigInt(accountId), micros, kind: 'staff_gift', reference: randomUUID() }),
  )
  // The desk uses the clock of the test, which the codes of the members move.
  await shop.database.db.updateTable('session').set({ proved_at: shop.clock.now }).execute()
  await shop.database.db
    .updateTable('account_device')
    .set({ first_at: new Date(0) })
    .execute()
  await customer.call('request_payout', { micros: String(micros), network: 'usdt_trc20', wallet })
  const { rows } = await as('accountant').call('payouts', { customer: accountId })
  return { ...customer, accountId, id: rows[0]?.id ?? '' }
}
const kindsToday = async () => (await as('owner').call('today', {})).needs_you.map(({ kind }) => kind)

it('a payout that waits is a need of the day until it is sent, and both sides see each step', async () => {
  expect(await kindsToday()).not.toContain('payout_waiting')
  const customer = await asking(5_000_000n)
  const { id, accountId } = customer
  expect(await kindsToday()).toContain('payout_waiting')
  const { call } = as('accountant')
  const of = async (state?: 'open' | 'paid') =>
    (await call('payouts', { customer: accountId, ...(state === undefined ? {} : { state }) })).rows
  expect(await of('open')).toMatchObject([
    { state: 'requested', micros: '5000000', address: wallet, customer_name: customer.username },
  ])
  expect(await refusalOf(call('pay_payout', { id, reference: 'abc' }))).toMatchObject({
    code: 'payout_changed',
  })
  expect(await call('take_payout', { id, micros: '5000000' })).toEqual({ changed: true })
  expect(await call('take_payout', { id, micros: '5000000' })).toEqual({ changed: false })
  expect(await call('pay_payout', { id, reference: ' abc ' })).toEqual({ changed: true })
  expect(await call('pay_payout', { id, reference: 'abc' })).toEqual({ changed: false })
  expect([await of('open'), await of('paid')]).toMatchObject([[], [{ reference: 'abc' }]])
  expect((await customer.call('get_payouts', {})).rows).toMatchObject([{ state: 'paid', reference: 'abc' }])
  expect(await kindsToday()).not.toContain('payout_waiting')
  const { rows } = await as('owner').call('audit', { customer_id: accountId, limit: 10 })
  const acts = rows.map(({ action }) => action).filter((action) => action.endsWith('_payout'))
  expect(acts).toEqual(['pay_payout', 'take_payout'])
  expect(JSON.stringify(rows)).not.toContain(wallet)
  const { rows: entries } = await as('owner').call('customer_ledger', { id: accountId })
  expect(entries.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['payout_paid', 'payout_requested', 'staff_gift']),
  )
})

it('a payout is seen by those who see payments, with the wallet only by those who send', async () => {
  const { id, accountId } = await asking(5_000_000n)
  const seen = async (role: Role) =>
    (await as(role).call('payouts', { customer: accountId })).rows[0]?.address
  expect([await seen('owner'), await seen('accountant'), await seen('viewer')]).toEqual([
    wallet,
    wallet,
    `…${wallet.slice(-6)}`,
  ])
  const { call } = as('viewer')
  const acts = [
    () => call('take_payout', { id, micros: '5000000' }),
    () => call('pay_payout', { id, reference: 'abc' }),
    () => call('refuse_payout', { id, reason }),
    () => as('support').call('payouts', {}),
  ]
  for (const act of acts) expect(await refusalOf(act())).toMatchObject({ code: 'no_permission' })
  await as('accountant').call('refuse_payout', { id, reason })
})

it('a payout needs the second factor again from the limit on', async () => {
  const { id } = await asking(100_000_000n)
  const { call } = as('accountant')
  const micros = '100000000'
  shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
  expect(await refusalOf(call('take_payout', { id, micros }))).toMatchObject({ code: 'step_up_needed' })
  await office.stepUp(as('accountant'))
  await call('take_payout', { id, micros })
  shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
  expect(await refusalOf(call('pay_payout', { id, reference: 'abc' }))).toMatchObject({
    code: 'step_up_needed',
  })
  expect(await call('refuse_payout', { id, reason })).toEqual({ changed: true })
})

it('a payout is in the books of the month: as money sent by hand, and as a paid share', async () => {
  const { id, accountId } = await asking(7_000_000n)
  const { call } = as('accountant')
  const { id: none } = await asking(1_000_000n)
  await call('refuse_payout', { id: none, reason })
  await call('take_payout', { id, micros: '7000000' })
  await call('pay_payout', { id, reference: 'abc' })
  // The ledger has the time of the database, the test a clock of its own.
  const [from = '', until = ''] = [new Date(), shop.clock.now].map((time) => time.toISOString().slice(0, 10))
  const report = await call('report', { report: 'referral', by: 'month', from, until })
  const { rows } = report
  expect(rows).toMatchObject([{ referral_micros: '12000000' }])
  const listed = await call('postings', { report: 'referral', from, until, method: 'by_hand' })
  expect(listed.rows.map(({ kind }) => kind)).toEqual(['payout_paid', 'payout_paid'])
  expect(listed.rows.map(({ customer_id: who }) => who)).toContain(accountId)
})

it('a payout has to be completed before the customer’s data is erased; the erasure deletes the wallet', async () => {
  const { id, accountId } = await asking(5_000_000n)
  const { db } = shop.database
  const { obstacles } = await previewErasure(db, BigInt(accountId))
  expect(obstacles).toEqual([{ obstacle: 'open_payout', numbers: [] }])
  const { call } = as('owner')
  const erase = async () => {
    await office.stepUp(as('owner'))
    return eraseAsShown(as('owner'), { id: accountId, reason: 'asked for it', write_off: true })
  }
  expect(await refusalOf(erase())).toMatchObject({ code: 'erasure_payout' })
  await call('take_payout', { id, micros: '5000000' })
  await call('pay_payout', { id, reference: 'a transaction' })
  await erase()
  const { rows } = await call('payouts', { customer: accountId })
  expect(rows).toMatchObject([{ state: 'paid', address: '', reference: 'a transaction', micros: '5000000' }])
})
