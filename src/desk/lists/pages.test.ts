import { afterAll, beforeAll, expect, it } from 'vitest'
import { noteHeld } from '#accounts'
import type { DeskInput } from '#contract/desk/contract'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember
let people: Customer[]

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  people = []
  for (let made = 0; made < 7; made++) people.push(await shop.customer())
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const idsOf = (some: Customer[]) => Promise.all(some.map(accountIdOf))

/** All rows of a list, read in pages of two. */
async function inPages<Row>(
  read: (page: { limit: number; after?: string }) => Promise<{ rows: Row[]; next: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = []
  let after: string | null | undefined
  while (after !== null) {
    const page = await read({ limit: 2, ...(after === undefined ? {} : { after }) })
    rows.push(...page.rows)
    after = page.next
  }
  return rows
}

it('pages of customers contain each customer once, in every order, customers without a figure last', async () => {
  const { pool } = shop.database
  const ids = await idsOf(people)
  await shop.buy(people[2] as Customer, { pool: 'mobile', gb: 2 })
  await shop.buy(people[5] as Customer, { pool: 'mobile', gb: 2 })
  await shop.buy(people[3] as Customer, { pool: 'residential', gb: 9 })
  await pool.query('update account set seen_at = null')
  await pool.query(`update account set seen_at = '2026-05-01T10:00Z' where id = any($1::bigint[])`, [
    ids.slice(1, 4),
  ])
  await pool.query(`update account set seen_at = '2026-05-02T10:00Z' where id = $1`, [ids[0]])
  const idsAt = (...places: number[]) => places.map((place) => String(ids[place]))
  const orders = {
    newest: idsAt(6, 5, 4, 3, 2, 1, 0),
    oldest: idsAt(0, 1, 2, 3, 4, 5, 6),
    spent: idsAt(3, 5, 2, 6, 4, 1, 0),
    last_seen: idsAt(0, 3, 2, 1, 6, 5, 4),
    balance: idsAt(3, 5, 2, 6, 4, 1, 0),
  }
  // The order by balances is as old as it says.
  const before = await owner.call('customers', { sort: 'balance', limit: 1 })
  expect(before.rows.map(({ id }) => id)).toEqual([String(ids[6])])
  await noteHeld(shop.database.db)
  const after = await owner.call('customers', { sort: 'balance', limit: 1 })
  expect(Date.parse(after.balances_at ?? '')).toBeGreaterThan(Date.parse(before.balances_at ?? ''))
  for (const sort of ['newest', 'oldest', 'spent', 'last_seen', 'balance'] as const) {
    const rows = await inPages((page) => owner.call('customers', { sort, ...page }))
    expect(
      rows.map(({ id }) => id),
      sort,
    ).toEqual(orders[sort])
  }
  // Customers who wait for staff come first by state; by margin, the sums that the job has counted decide.
  await pool.query('update account set blocked_at = now() where id = $1', [ids[4]])
  await pool.query(
    `update account_margin set micros = case account_id when $1 then -7 when $2 then 9 else 0 end`,
    [ids[1], ids[6]],
  )
  const orderOf = async (sort: 'state' | 'margin' | 'least_margin') =>
    (await inPages((page) => owner.call('customers', { sort, ...page }))).map(({ id }) => id)
  const blockedFirst = (await orderOf('state'))[0]
  expect(blockedFirst).toBe(String(ids[4]))
  expect(await orderOf('margin')).toEqual(idsAt(6, 5, 4, 3, 2, 0, 1))
  expect(await orderOf('least_margin')).toEqual(idsAt(1, 0, 2, 3, 4, 5, 6))
  const lossMakers = await owner.call('customers', { sort: 'least_margin', margin_to: '-1' })
  expect(lossMakers.rows).toMatchObject([{ id: String(ids[1]), margin_micros: '-7' }])
  const support = await office.staff('support')
  expect((await support.call('customers', {})).rows.every((row) => row.margin_micros === null)).toBe(true)
  for (const asked of [{ sort: 'margin' }, { margin_to: '-1' }] as const)
    expect((await refusalOf(support.call('customers', asked))).code).toBe('no_permission')
  await pool.query('update account set blocked_at = null where id = $1', [ids[4]])
  const { rows: holders, balances_at: at } = await owner.call('customers', { balance_from: '2000000000' })
  expect([holders.map(({ id }) => id), at]).toEqual([idsAt(5, 3, 2), after.balances_at])
  const seen = { seen_from: '2026-05-01', seen_to: '2026-05-01' }
  const { rows } = await owner.call('customers', seen)
  expect(rows.map(({ id }) => id)).toEqual(idsAt(3, 2, 1))
})

it('pages of the invoices that were made, or settled, on a day are in the order of these times', async () => {
  const { pool } = shop.database
  const id = await accountIdOf(people[6] as Customer)
  await pool.query(
    `insert into invoice (number, account_id, pool, method, gb, per_gb_micros, volume_discount_ppm, full_cost_micros, cost_micros,
       created_at, expires_at, settled_at, state, received_micros, credited_bytes)
     select 'late' || n, $1, 'mobile', 'card', 1, 1000000, 0, 1000000, 1000000,
       timestamptz '2026-05-03T12:00Z' - make_interval(hours => abs(n - 3)), now(),
       timestamptz '2026-05-04T12:00Z' - make_interval(hours => abs(n - 2)), 'paid', 1000000, 1000000000
     from generate_series(1, 5) n order by n`,
    [id],
  )
  const numbers = async (asked: Partial<DeskInput<'invoices'>>) =>
    (await inPages((page) => owner.call('invoices', { customer_id: String(id), ...asked, ...page }))).map(
      ({ number }) => number,
    )
  const made = { from: '2026-05-03', until: '2026-05-03' }
  expect(await numbers(made)).toEqual(['late3', 'late4', 'late2', 'late5', 'late1'])
  const settled = { settled_from: '2026-05-04', settled_until: '2026-05-04' }
  expect(await numbers(settled)).toEqual(['late2', 'late3', 'late1', 'late4', 'late5'])
})
