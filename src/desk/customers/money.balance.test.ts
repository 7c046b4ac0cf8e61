import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { noMargin } from '#margin'
import { verifyMoney } from '#purchase'
import { accountIdOf, type App, app, press, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { dayFigures } from '../day.figures.ts'
import { marginFoot } from '../reports/margin.foot.ts'
import { monthBooks } from '../reports/month.ts'

let shop: App
let office: Desk
let owner: StaffMember
beforeAll(async () => {
  shop = await app()
  office = await desk(shop)
  owner = await office.staff('owner')
  await office.stepUp(owner)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

it('a money balance is credited and debited by staff once per key, with a trace; reports and the month stay equal to the ledger', async () => {
  const person = await shop.customer()
  const id = await accountIdOf(person)
  const { number } = await person.call('create_balance_invoice', {
    payment_method: 'sandbox',
    amount_usd: 50,
  })
  await press(shop.origin, number, 'paid')
  const gift = { id, micros: '5000000', of: 'balance', reason: 'an outage', key: randomUUID() } as const
  for (let time = 0; time < 2; time++)
    expect(await owner.call('give_money', gift)).toEqual({ micros: '5000000', balance_micros: '55000000' })
  await person.call('buy', { amount: 10, pool: 'residential' })
  const taking = { ...gift, micros: '90000000', key: randomUUID() }
  expect(await owner.call('take_money', taking)).toEqual({ micros: '20000000', balance_micros: '0' })
  const support = await office.staff('support')
  expect((await refusalOf(support.call('give_money', { ...gift, key: randomUUID() }))).status).toBe(403)

  expect(await owner.call('customer', { id })).toMatchObject({ money_micros: '0', referral_micros: '0' })
  const { rows } = await owner.call('customer_ledger', { id, account: 'balance' })
  expect(rows.map(({ kind, part, amount }) => [kind, part, amount])).toEqual([
    ['staff_taking', 'balance', '-20000000'],
    ['purchase', 'balance', '-35000000'],
    ['staff_gift', 'balance', '5000000'],
    ['top_up', 'balance', '50000000'],
  ])
  const { rows: trail } = await owner.call('audit', { subject_kind: 'customer', subject_id: id })
  expect(trail.map(({ action }) => action)).toEqual(expect.arrayContaining(['give_money', 'take_money']))

  const { db } = shop.database
  expect(await verifyMoney(db)).toEqual([])
  const day = shop.clock.now.toISOString().slice(0, 10)
  for (const report of ['sales', 'refunds', 'referral'] as const)
    expect((await owner.call('report', { report, by: 'day', from: day, until: day })).agrees).toBe('equal')
  const month = await owner.call('report', { report: 'sales', by: 'method', from: day, until: day })
  expect(month.rows.map(({ key, micros }) => [key, micros])).toContainEqual(['balance', '35000000'])
  expect((await marginFoot(db, noMargin)).agrees).toBe('equal')
  const books = monthBooks(db, { zone: 'UTC', month: day.slice(0, 7) }, shop.clock.now)
  for (const table of books.tables) {
    const lines: Record<string, unknown>[] = []
    for await (const page of table.pages()) lines.push(...(page as Record<string, unknown>[]))
    expect(JSON.stringify(lines), table.name).not.toContain('DIFFERS')
  }
})

it('Today counts money that is paid in once, not what is spent from the balance or given by staff, and agrees with its list', async () => {
  const person = await shop.customer()
  const id = await accountIdOf(person)
  const figures = async () => {
    // Today ends at the current time, exclusively.
    shop.clock.now = new Date(shop.clock.now.getTime() + 1000)
    const {
      day,
      money_in_micros: money,
      week_money: week,
      month_money: month,
    } = await owner.call('today', {})
    const listed = await owner.call('invoice_sums', { settled_from: day, settled_until: day })
    expect(listed.received_micros).toBe(money.today)
    return {
      in: BigInt(money.today),
      week: BigInt(week.now),
      month: BigInt(month.now),
      spent: BigInt(listed.balance_micros),
      sold: BigInt((await dayFigures(shop.database, dayOf(day))).sold_micros),
    }
  }
  const dayOf = (day: string) => ({ from: new Date(day), until: new Date(Date.parse(day) + 86_400_000) })
  const before = await figures()
  const added = async () => {
    const now = await figures()
    return Object.fromEntries(
      Object.entries(now).map(([name, value]) => [name, value - before[name as keyof typeof now]]),
    )
  }

  const { number } = await person.call('create_balance_invoice', {
    payment_method: 'sandbox',
    amount_usd: 20,
  })
  await press(shop.origin, number, 'paid')
  const paidIn = { in: 20_000_000n, week: 20_000_000n, month: 20_000_000n }
  expect(await added()).toEqual({ ...paidIn, spent: 0n, sold: 0n })
  await person.call('buy', { amount: 1, pool: 'residential' })
  expect(await added()).toEqual({ ...paidIn, spent: 3_500_000n, sold: 3_500_000n })
  await owner.call('give_money', {
    id,
    micros: '5000000',
    of: 'balance',
    reason: 'an outage',
    key: randomUUID(),
  })
  await person.call('buy', { amount: 6, pool: 'residential' })
  expect(await added()).toEqual({ ...paidIn, spent: 24_500_000n, sold: 24_500_000n })
  await shop.buy(person, { pool: 'residential', gb: 1 })
  expect(await added()).toEqual({
    in: 23_500_000n,
    week: 23_500_000n,
    month: 23_500_000n,
    spent: 24_500_000n,
    sold: 28_000_000n,
  })
})
