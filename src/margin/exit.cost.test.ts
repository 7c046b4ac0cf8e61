import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCost, type CostTerms, decimalGb } from '#exits'
import { inUsd, setRate } from '#rates'
import { app, type App } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { dearestCosts, marginOf } from './margin.ts'

const gb = 1_000_000_000n
const unit = 1_000_000n
const dayMs = 86_400_000

let shop: App
let office: Desk
let owner: StaffMember
let made = 0

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const db = () => shop.database.db
const ago = (days: number) => new Date(shop.clock.now.getTime() - days * dayMs)
const dayOf = (days: number) => ago(days).toISOString().slice(0, 10)
const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await shop.database.pool.query<Row>(text, values)).rows

async function exitAt(terms: Partial<CostTerms>): Promise<bigint> {
  const [row] = await query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere) values ('mobile', $1, 'direct', true) returning id`,
    [`exit ${++made}`],
  )
  const usual = { fromDay: '2020-01-01', perGbMicros: unit, monthMicros: 0n, gbBytes: decimalGb } as const
  await addCost(db(), row?.id ?? 0n, { ...usual, rounding: 'none', ...terms }, shop.clock.now)
  return row?.id ?? 0n
}
/** Records traffic that gateways relayed through an exit in an hour. */
const relayed = (exit: bigint, days: number, bytes: bigint, hour = 5) =>
  query(
    `insert into margin_hour (hour, pool, exit_id, charged_bytes, bonus_bytes, relayed_bytes)
     values ($1::date::timestamp at time zone 'UTC' + make_interval(hours => $2), 'mobile', $3, $4, 0, $4)`,
    [dayOf(days), hour, exit, bytes],
  )
/** Adds the connection records of that traffic. */
const recorded = (exit: bigint, days: number, code: string, up: bigint, down: bigint) =>
  query(
    `insert into connection_hour (hour, pool, exit_id, country, code, connections, refused, up_bytes, down_bytes, charged_bytes)
     values ($1::date::timestamp at time zone 'UTC' + interval '5 hours', 'mobile', $2, 'de', $3, 2, $4, $5, $6, 0)`,
    [dayOf(days), exit, code, code === 'done' ? 0 : 2, up, down],
  )
const costOn = async (exit: bigint, days: number, by: 'day' | 'hour' = 'day') => {
  const parts = await marginOf(db(), { from: dayOf(days), to: dayOf(days), by }, shop.clock.now)
  return parts.filter(({ exitId }) => exitId === exit).map(({ costMicros }) => costMicros)
}

it('a cost is converted at the latest rate up to its day, and is unknown without one', async () => {
  const exit = await exitAt({ currency: 'EUR', monthMicros: 0n })
  await setRate(db(), { currency: 'EUR', perUsdMicros: 800_000n, setAt: ago(20) })
  await setRate(db(), { currency: 'EUR', perUsdMicros: 500_000n, setAt: ago(18) })
  for (const days of [21, 20, 19, 18]) await relayed(exit, days, 2n * gb)
  expect(await costOn(exit, 21)).toEqual([null])
  // 2.00 EUR at a rate of 0.80 EUR for one USD, and of 0.50.
  expect(await costOn(exit, 20)).toEqual([2_500_000n])
  expect(await costOn(exit, 19)).toEqual([2_500_000n])
  expect(await costOn(exit, 18)).toEqual([4_000_000n])
  const hours = await costOn(exit, 18, 'hour')
  expect(hours.reduce((sum: bigint, micros) => sum + (micros ?? 0n), 0n)).toBe(4_000_000n)
  expect((await dearestCosts(db(), shop.clock.now)).get('mobile')).toMatchObject({ perGbMicros: 2n * unit })
  // A correction of the rate corrects the cost.
  await setRate(db(), { currency: 'EUR', perUsdMicros: 1_000_000n, setAt: ago(18) })
  expect(await costOn(exit, 18)).toEqual([2_000_000n])
})

it('a cost in a currency without a rate is shown on Today and in the history, and is left out of the margin', async () => {
  const missing = async () =>
    (await owner.call('today', {})).needs_you.find(({ kind }) => kind === 'rate_missing')
  expect(await missing()).toBeUndefined()
  const exit = await exitAt({})
  await owner.call('set_exit_cost', {
    id: String(exit),
    from: dayOf(3),
    currency: 'KZT',
    per_gb_micros: '520000000',
    month_micros: '0',
    binary_gb: false,
    rounding: 'none',
    counts: 'down',
    counts_failed: false,
  })
  await relayed(exit, 2, gb)
  expect(await costOn(exit, 2)).toEqual([null])
  expect(await missing()).toMatchObject({ examples: ['KZT'], href: '/prices?tab=currencies' })
  const { rows } = await owner.call('exit_costs', { id: String(exit) })
  expect(rows[0]).toMatchObject({ currency: 'KZT', rated: false, counts: 'down', counts_failed: false })
  await setRate(db(), { currency: 'KZT', perUsdMicros: 520_000_000n, setAt: ago(3) })
  expect(await costOn(exit, 2)).toEqual([unit])
  expect(await missing()).toBeUndefined()
  expect((await owner.call('exit_costs', { id: String(exit) })).rows[0]).toMatchObject({ rated: true })
})

it('a cost covers the direction that the seller counts, by the records, or all bytes without records', async () => {
  const exits = {
    both: await exitAt({ countsFailed: false }),
    up: await exitAt({ counts: 'up' }),
    down: await exitAt({ counts: 'down', countsFailed: false }),
  }
  for (const exit of Object.values(exits)) {
    await relayed(exit, 5, 6n * gb)
    await relayed(exit, 5, 4n * gb, 7)
    await relayed(exit, 6, 10n * gb)
    // Half of the records were lost. Of the recorded bytes, a tenth went up, a tenth is of failed attempts.
    await recorded(exit, 5, 'done', gb / 2n, 4n * gb)
    await recorded(exit, 5, 'target_unreachable', 0n, gb / 2n)
  }
  expect(await costOn(exits.both, 5)).toEqual([9n * unit])
  expect(await costOn(exits.up, 5)).toEqual([unit])
  expect(await costOn(exits.down, 5)).toEqual([8n * unit])
  for (const exit of Object.values(exits)) {
    expect(await costOn(exit, 6)).toEqual([10n * unit])
    const hours = await costOn(exit, 5, 'hour')
    expect([hours.reduce((sum: bigint, micros) => sum + (micros ?? 0n), 0n)]).toEqual(await costOn(exit, 5))
  }
})

it('a cost in USD differs from the exact one by at most half a micro-USD', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 15n), fc.bigInt(1n, 9_999_999_999_999n), (micros, rate) => {
      const off = 2n * (inUsd(micros, rate) * rate - micros * unit)
      expect(off <= rate && -off <= rate).toBe(true)
    }),
  )
})
