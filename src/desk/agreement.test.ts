import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import type { Pool } from '#contract/wire'
import type { ConnectionRecord } from '#feed/connection.record'
import { usedByAccount } from '#ledger'
import { addUpHours, lease, settle } from '#traffic'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { connectionOf, keepConnections } from '#test/connections'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { line, newBoot, wrongInBooks } from '#test/traffic'
import { sized } from '#test/size'

let shop: App
let office: Desk
let owner: StaffMember
let exits: bigint[]

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  // A day in the past of the database's clock, whose partitions exist; noon, so that no hour of the test is
  // on another day.
  shop.clock.now = new Date(Math.floor(shop.clock.now.getTime() / dayMs) * dayMs - dayMs / 2)
  office = await desk(shop)
  owner = await office.staff('owner')
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere) values ('mobile', 'one', 'direct', true), ('mobile', 'two', 'direct', true) returning id`,
  )
  exits = rows.map(({ id }) => id)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const dayMs = 86_400_000
const hourMs = 3_600_000
const sum = (values: readonly (bigint | string)[]) =>
  values.reduce<bigint>((all, one) => all + BigInt(one), 0n)

interface Holder {
  customer: Customer
  accountId: bigint
  pool: Pool
  accessId: bigint
}

async function holder(pool: Pool, bonus: bigint): Promise<Holder> {
  const customer = await shop.customer()
  const accountId = BigInt(await accountIdOf(customer))
  await shop.buy(customer, { pool, gb: 1 })
  if (bonus > 0n) {
    const key = crypto.randomUUID()
    const gift = { id: String(accountId), pool, bytes: String(bonus), reason: 'a gift', key }
    await owner.call('give_traffic', gift)
  }
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    'select id from access where account_id = $1 and pool = $2',
    [accountId, pool],
  )
  return { customer, accountId, pool, accessId: rows[0]?.id ?? 0n }
}

interface Part {
  who: number
  exit: number | null
  /** The hour of the day, counted from midnight; below zero: on the day before. */
  hour: number
  bytes: number
}

it('usage is equal to the byte on Today, in every division of traffic, in the customers’ statistics and in the ledger', async () => {
  const { db } = shop.database
  const midnight = Math.floor(shop.clock.now.getTime() / dayMs) * dayMs
  const [before, day] = [midnight - dayMs, midnight].map((at) => new Date(at).toISOString().slice(0, 10)) as [
    string,
    string,
  ]
  const holders = await Promise.all([
    holder('mobile', 700n),
    holder('mobile', 0n),
    holder('residential', 1_000_000_000n),
  ])
  const gateways = await Promise.all(
    holders.map(async ({ accessId }) => {
      const boot = newBoot()
      const granted = await lease(db, boot, { access: accessId, want_bytes: 1_000_000_000n })
      return { boot, lease: granted.lease }
    }),
  )

  async function relay(parts: readonly Part[]) {
    const records: ConnectionRecord[] = []
    for (const { who, exit: index, hour, bytes: number } of parts) {
      const [whose, gateway] = [holders[who], gateways[who]]
      if (whose === undefined || gateway === undefined) throw new Error('there is no such holder')
      const at = midnight + hour * hourMs + hourMs / 2
      const bytes = BigInt(number)
      const exit = index === null ? null : (exits[index] ?? null)
      const through = exit === null ? {} : { exit }
      const used = line(gateway.lease, whose.accessId, bytes, { ...through, relayed_bytes: bytes })
      await settle(db, [gateway.boot.report([used], { at_ms: at })])
      const charged = { up_bytes: 0n, down_bytes: bytes, charged_up_bytes: 0n, charged_down_bytes: bytes }
      const country = ['us', 'de', null][number % 3] ?? null
      records.push(connectionOf(whose, new Date(at), { ...charged, exit, country }))
    }
    await keepConnections(db, records, shop.clock.now)
  }

  async function agree(parts: readonly Part[]) {
    const ofDay = parts.filter(({ hour }) => hour >= 0)
    const bytesOf = (some: readonly Part[]) => sum(some.map(({ bytes }) => BigInt(bytes)))
    const total = bytesOf(ofDay)

    const { used_bytes: used } = await owner.call('today', {})
    expect([used.today, sum(used.hours)]).toEqual([String(total), total])

    const sums = async (by: 'pool' | 'exit' | 'country' | 'hour' | 'day') =>
      (await owner.call('traffic_sums', { by, from: day, until: day })).rows
    for (const by of ['pool', 'exit', 'country', 'hour', 'day'] as const) {
      const rows = await sums(by)
      expect(sum(rows.map((row) => row.charged_bytes)), by).toBe(total)
      expect(sum(rows.map((row) => row.requests)), by).toBe(BigInt(ofDay.length))
    }
    for (const { key, charged_bytes: bytes } of await sums('hour'))
      expect(used.hours[new Date(key).getUTCHours()], key).toBe(bytes)
    for (const { key, charged_bytes: bytes } of await sums('exit')) {
      const through = ofDay.filter(({ exit }) => String(exit === null ? 0n : exits[exit]) === key)
      expect(bytes, `exit ${key}`).toBe(String(bytesOf(through)))
    }

    const reported = async (by: 'day' | 'pool' | 'exit', from: string) =>
      (await owner.call('report', { report: 'usage', by, from, until: day })).rows
    for (const by of ['day', 'pool', 'exit'] as const)
      expect(sum((await reported(by, before)).map((row) => row.bytes ?? 0n)), by).toBe(bytesOf(parts))
    const byText = (one: unknown[], other: unknown[]) => String(one).localeCompare(String(other))
    const figures = (await reported('pool', day)).map((row) => [
      row.key,
      row.bytes,
      row.bonus_bytes,
      row.count,
    ])
    expect(figures.toSorted(byText)).toEqual(
      (await sums('pool'))
        .map((row) => [row.key, row.charged_bytes, row.bonus_bytes, row.requests])
        .toSorted(byText),
    )

    const [statistics, ofDesk] = [[] as bigint[], [] as string[]]
    for (const { customer, accountId, pool } of holders) {
      const { usage } = await customer.call('legacy_get_statistic', { pool, period: 'week' })
      statistics.push(...usage.map(({ traffic }) => bytesFromWire(traffic)))
      const asked = { id: String(accountId), from: before, until: day }
      ofDesk.push(...(await owner.call('customer_usage', asked)).rows.map((row) => row.charged_bytes))
    }
    const ledger = await usedByAccount(db)
    expect([sum(statistics), sum(ofDesk), sum([...ledger.used.values()])]).toEqual(
      Array.from({ length: 3 }, () => bytesOf(parts)),
    )
    expect(sum([...ledger.lost.values()])).toBe(0n)
    expect(await wrongInBooks(db)).toEqual([])
  }

  const known: Part[] = []
  const part = fc.record({
    who: fc.nat({ max: holders.length - 1 }),
    exit: fc.option(fc.nat({ max: 1 })),
    // Not earlier, so that no record is more than a day old.
    hour: fc.integer({ min: -10, max: 11 }),
    bytes: fc.integer({ min: 0, max: 3_000_001 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (parts, isAdded) => {
        await relay(parts)
        known.push(...parts)
        await agree(known)
        // The day is over by the database's clock: its hours become a day, and later reports of it count in
        // both.
        if (isAdded) await addUpHours(db)
        await agree(known)
      },
    ),
    { numRuns: sized(3, 5), endOnFailure: true },
  )
})

it('each figure of Today is the total of the list that it opens', async () => {
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 2 })
  // Today ends at the current time, exclusively.
  shop.clock.now = new Date(shop.clock.now.getTime() + 1000)
  const { day, ...today } = await owner.call('today', {})
  const settled = await owner.call('invoice_sums', { settled_from: day, settled_until: day })
  expect(BigInt(settled.received_micros)).toBeGreaterThan(0n)
  expect([today.money_in_micros.today, today.sold_bytes.today]).toEqual([
    settled.received_micros,
    settled.credited_bytes,
  ])
  const invoices = await owner.call('invoices', { settled_from: day, settled_until: day, limit: 200 })
  expect(sum(invoices.rows.map((row) => row.received_micros))).toBe(
    BigInt(settled.received_micros) + BigInt(settled.referral_micros),
  )
  expect(String(invoices.rows.length)).toBe(settled.count)
  const joined = await owner.call('customers', { joined_from: day, joined_to: day, limit: 200 })
  expect(String(joined.rows.length)).toBe(today.new_customers.today)
  const used = await owner.call('report', { report: 'usage', by: 'pool', from: day, until: day })
  expect(used.foot[0]?.bytes).toBe(today.used_bytes.today)
  const span = { from: today.day_began_at, until: today.at }
  const refused = await owner.call('refusals', span)
  expect(String(sum(refused.map(({ requests }) => requests)))).toBe(today.refused_requests?.today)
})

it('what needs attention opens the invoices that were counted', async () => {
  const customer = await shop.customer()
  const [disputed, empty] = [
    await shop.buy(customer, { pool: 'mobile', gb: 1 }),
    await shop.buy(customer, { pool: 'mobile', gb: 1 }),
  ]
  const change = (what: string, number: string) =>
    shop.database.pool.query(`update invoice set ${what} where number = $1`, [number])
  await change('disputed_at = settled_at', disputed)
  const { needs_you: needs } = await owner.call('today', {})
  const counted = needs.find(({ kind }) => kind === 'dispute')
  const { rows } = await owner.call('invoices', { need: 'dispute' })
  expect([counted?.count, counted?.href]).toEqual([rows.length, '/payments?tab=disputes'])
  expect(rows.map(({ number }) => number)).toEqual([disputed])
  expect(
    (await owner.call('invoices', { need: 'paid_without_traffic' })).rows.map(({ number }) => number),
  ).not.toContain(empty)
})
