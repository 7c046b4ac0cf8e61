/** Prices used traffic by the purchases that it used up. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { type Holding, purchaseLots } from '#purchase'
import type { UnpricedUsage } from '#traffic'
import { earn, earnedBy, type Lot, type Position } from './earned.ts'

/** What usage of an hour earned. */
export interface Earned {
  hour: Date
  pool: string
  exitId: bigint
  micros: bigint
}

export interface Priced {
  earned: Earned[]
  /** Of each holding that was priced, after it. */
  positions: (Holding & Position)[]
}

const keyOf = ({ accountId, pool }: Holding) => `${accountId} ${pool}`

/**
 * Prices usage in its order, and settles what refunds and late payments have changed of these holdings and of `others`; of those
 * without usage that counts in the hour `correctedAt`. Writes nothing.
 */
export async function price(
  db: Kysely<DB>,
  usage: readonly UnpricedUsage[],
  { others = [], correctedAt }: { others?: readonly Holding[]; correctedAt: Date },
): Promise<Priced> {
  const usageOf = Map.groupBy(usage, keyOf)
  const holdings = [...new Map([...usage, ...others].map((one) => [keyOf(one), one])).values()]
  if (holdings.length === 0) return { earned: [], positions: [] }
  const [lotsOf, positionOf] = await Promise.all([readLots(db, holdings), readPositions(db, holdings)])
  const earned: Earned[] = []
  const positions = holdings.map(({ accountId, pool }) => {
    const key = keyOf({ accountId, pool })
    const lots = lotsOf.get(key) ?? []
    const { usedBytes, earnedMicros } = positionOf.get(key) ?? { usedBytes: 0n, earnedMicros: 0n }
    const before = { usedBytes, earnedMicros: earnedMicros ?? earnedBy(lots, usedBytes) }
    const rows = usageOf.get(key) ?? []
    const amounts = rows.length === 0 ? [0n] : rows.map(({ bytes }) => bytes)
    const result = earn(lots, before, amounts)
    for (const [index, micros] of result.earned.entries()) {
      const { hour, exitId } = rows[index] ?? { hour: correctedAt, exitId: 0n }
      if (micros !== 0n) earned.push({ hour, pool, exitId, micros })
    }
    return { accountId, pool, ...result.position }
  })
  return { earned, positions }
}

async function readLots(db: Kysely<DB>, holdings: readonly Holding[]): Promise<Map<string, Lot[]>> {
  return Map.groupBy(await purchaseLots(db, holdings), keyOf)
}

async function readPositions(
  db: Kysely<DB>,
  holdings: readonly Holding[],
): Promise<Map<string, { usedBytes: bigint; earnedMicros: bigint | null }>> {
  const { rows } = await sql<Holding & { usedBytes: bigint; earnedMicros: bigint | null }>`
    select p.account_id as "accountId", p.pool, p.used_bytes as "usedBytes", p.earned_micros as "earnedMicros"
    from unnest(
      ${bigintArray(holdings.map(({ accountId }) => accountId))}::bigint[],
      ${textArray(holdings.map(({ pool }) => pool))}::text[]
    ) held(account_id, pool)
    join margin_position p on p.account_id = held.account_id and p.pool = held.pool`.execute(db)
  return new Map(rows.map((row) => [keyOf(row), row]))
}

/** Writes positions and what was earned. */
export async function keepPriced(tx: Transaction<DB>, { earned, positions }: Priced): Promise<void> {
  await sql`
    insert into margin_position (account_id, pool, used_bytes, earned_micros)
    select * from unnest(
      ${bigintArray(positions.map(({ accountId }) => accountId))}::bigint[],
      ${textArray(positions.map(({ pool }) => pool))}::text[],
      ${bigintArray(positions.map(({ usedBytes }) => usedBytes))}::bigint[],
      ${bigintArray(positions.map(({ earnedMicros }) => earnedMicros))}::bigint[]
    )
    on conflict (account_id, pool) do update set
      used_bytes = excluded.used_bytes, earned_micros = excluded.earned_micros`.execute(tx)
  await sql`
    insert into margin_hour as known (hour, pool, exit_id, earned_micros)
    select to_timestamp(hour_ms / 1000), pool, exit_id, sum(micros)::bigint from unnest(
      ${bigintArray(earned.map(({ hour }) => hour.getTime()))}::bigint[],
      ${textArray(earned.map(({ pool }) => pool))}::text[],
      ${bigintArray(earned.map(({ exitId }) => exitId))}::bigint[],
      ${bigintArray(earned.map(({ micros }) => micros))}::bigint[]
    ) told(hour_ms, pool, exit_id, micros)
    group by 1, 2, 3
    on conflict (hour, pool, exit_id) do update set earned_micros = known.earned_micros + excluded.earned_micros`.execute(
    tx,
  )
}
