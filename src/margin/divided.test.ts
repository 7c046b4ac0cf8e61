import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { addCost, decimalGb } from '#exits'
import { seeded } from '#lib/seeded'
import { testDatabase } from '#test/database'
import { addMargin, marginBy, marginOfHours, noMargin, sumMargin } from './margin.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const hourMs = 3_600_000
const customers = 90
const fine = 10n ** 18n

it('the cost of each hour is divided over its customers, correct to the micro-USD, and adds up to the total', async () => {
  const { db, pool } = database
  const now = new Date()
  const end = Math.floor(now.getTime() / hourMs) * hourMs - 8 * hourMs
  const span = { from: new Date(end - 30 * hourMs), to: new Date(end) }
  const chance = seeded(52)
  const upTo = (most: number) => BigInt(Math.floor(chance() * most))
  const { rows: exits } = await pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere)
     select 'residential', 'exit' || n, 'direct', true from generate_series(1, 3) n returning id`,
  )
  // The last hour has no cost; the others have costs that do not divide evenly.
  for (const [index, { id }] of exits.slice(0, 2).entries())
    await addCost(
      db,
      id,
      {
        fromDay: '2020-01-01',
        perGbMicros: 1_333_333n + BigInt(index),
        monthMicros: 77_777_777n,
        gbBytes: decimalGb,
        rounding: 'none',
      },
      now,
    )
  const parts = Array.from({ length: 3000 }, () => ({
    at: span.from.getTime() + Number(upTo(30)) * hourMs,
    exit: exits[Number(upTo(3))]?.id ?? 0n,
    account: 1n + upTo(customers),
    relayed: upTo(9e9),
    revenue: upTo(9e6),
  })).map((part) => ({ ...part, free: upTo(Number(part.relayed) + 1) }))
  const column = (of: (part: (typeof parts)[number]) => bigint | number) =>
    parts.map((one) => String(of(one)))
  await pool.query(
    `insert into margin_part (hour, exit_id, pool, account_id, invoice_id, move_id, charged_bytes, relayed_bytes, free_bytes, revenue_micros)
     select to_timestamp(ms / 1000), exit, 'residential', account, n, 0, relayed, relayed, free, revenue
     from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
       with ordinality told(ms, exit, account, relayed, free, revenue, n)`,
    [
      column(({ at }) => at),
      column(({ exit }) => exit),
      column(({ account }) => account),
      column(({ relayed }) => relayed),
      column(({ free }) => free),
      column(({ revenue }) => revenue),
    ],
  )
  await pool.query(
    `insert into margin_hour (hour, pool, exit_id, charged_bytes, relayed_bytes, free_bytes, revenue_micros)
     select hour, pool, exit_id, sum(charged_bytes), sum(relayed_bytes), sum(free_bytes), sum(revenue_micros)
     from margin_part group by 1, 2, 3`,
  )
  const hours = await marginOfHours(db, span, now)
  const whole = sumMargin(hours, () => '').get('') ?? noMargin
  const rows = await marginBy(db, 'customer', span, now)
  expect(rows.reduce((all, row) => addMargin(all, row), noMargin)).toEqual(whole)

  const hourOf = new Map(hours.map((hour) => [`${hour.at.getTime()} ${hour.exitId}`, hour]))
  const exact = new Map<string, { cost: bigint; free: bigint }>()
  for (const { at, exit, account, relayed, free } of parts) {
    const hour = hourOf.get(`${at} ${exit}`)
    const known = exact.get(String(account)) ?? { cost: 0n, free: 0n }
    const part = (micros: bigint, of: bigint, all: bigint) => (all === 0n ? 0n : (micros * of * fine) / all)
    exact.set(String(account), {
      cost: known.cost + part(hour?.costMicros ?? 0n, relayed, hour?.relayedBytes ?? 0n),
      free: known.free + part(hour?.freeCostMicros ?? 0n, free, hour?.freeBytes ?? 0n),
    })
  }
  const named = rows.filter(({ key }) => exact.has(key))
  expect(named).toHaveLength(exact.size)
  const away = (micros: bigint, fraction: bigint) => {
    const size = micros * fine - fraction
    return size < 0n ? -size : size
  }
  for (const { key, costMicros, freeCostMicros } of named) {
    // A row also carries the remainder of the previous one, at most half a micro-USD.
    expect(away(costMicros, exact.get(key)?.cost ?? 0n), key).toBeLessThanOrEqual(fine)
    expect(away(freeCostMicros, exact.get(key)?.free ?? 0n), key).toBeLessThanOrEqual(fine)
  }
})
