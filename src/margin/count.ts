/** Counts hours that are over: what passed through exits, and what it earned. A job does so every hour. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, transaction } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { hourOf } from '#lib/zone'
import { type Holding, holdingsChanged } from '#purchase'
import {
  firstUsageHour,
  markPriced,
  takeLateHours,
  type UnpricedUsage,
  unpricedUsage,
  usageByExitHour,
} from '#traffic'
import { keepPriced } from './kept.ts'
import { price } from './pricing.ts'

const hourMs = 3_600_000
/**
 * Nearly all reports of an hour have arrived by then; the others make a difference that the next count finds.
 */
const settlingMs = 10 * 60_000
/**
 * Hours that every count looks at again. Those that were added up to their days tell by themselves when a
 * report adds to them.
 */
const lookBackMs = 48 * hourMs
/** Invoices are settled by the clocks of several machines. */
const clocksMs = 2 * hourMs
const rowsAtOnce = 2000

/** All hours before this one are counted; null: none are. */
export async function countedThrough(db: Kysely<DB>): Promise<Date | null> {
  const row = await db.selectFrom('margin_counted').select('through').executeTakeFirst()
  return row?.through ?? null
}

/**
 * Counts all hours that are over by ten minutes, late reports of earlier ones, and what refunds have changed.
 * Safe to repeat and to call concurrently. Settlements wait for it only where they add to an hour that is
 * being counted.
 */
export async function countMargin(db: Kysely<DB>, now: Date): Promise<void> {
  const through = await countedThrough(db)
  const to = hourOf(new Date(now.getTime() - settlingMs))
  const first = through ?? (await firstUsageHour(db)) ?? to
  const from = new Date(Math.min(first.getTime(), to.getTime() - lookBackMs))
  await countPeriod(db, { from, to }, now)
  await transaction(db, async (tx) => {
    for (const hour of await takeLateHours(tx))
      if (hour < from) await countPeriod(tx, { from: hour, to: new Date(hour.getTime() + hourMs) }, now)
  })
  const changed = await holdingsChanged(db, new Date(through === null ? 0 : through.getTime() - clocksMs))
  for (let index = 0; index < changed.length; index += rowsAtOnce)
    await correct(db, changed.slice(index, index + rowsAtOnce), now)
  await sql`
    insert into margin_counted (through) values (${to})
    on conflict (is_only) do update set through = greatest(margin_counted.through, excluded.through)`.execute(
    db,
  )
}

/** One count at a time, so that no position is moved twice. */
const alone = (tx: Transaction<DB>) =>
  sql`select pg_advisory_xact_lock(hashtextextended('margin', 0))`.execute(tx)

async function countPeriod(db: Kysely<DB>, period: { from: Date; to: Date }, now: Date): Promise<void> {
  let after: UnpricedUsage | null = null
  do {
    const begin: UnpricedUsage | null = after
    after = await transaction(db, async (tx) => {
      await alone(tx)
      const usage = await unpricedUsage(tx, { ...period, after: begin, limit: rowsAtOnce, lock: true })
      if (usage.length === 0) return null
      await keepPriced(tx, await price(tx, usage, { correctedAt: hourOf(now) }))
      await markPriced(tx, usage)
      return usage.at(-1) ?? null
    })
  } while (after !== null)
  await addUp(db, period)
}

async function addUp(db: Kysely<DB>, period: { from: Date; to: Date }): Promise<void> {
  const rows = await usageByExitHour(db, period)
  if (rows.length === 0) return
  await sql`
    insert into margin_hour as known (hour, pool, exit_id, charged_bytes, bonus_bytes, relayed_bytes)
    select to_timestamp(hour_ms / 1000), pool, exit_id, charged, bonus, relayed from unnest(
      ${bigintArray(rows.map(({ hour }) => hour.getTime()))}::bigint[],
      ${textArray(rows.map(({ pool }) => pool))}::text[],
      ${bigintArray(rows.map(({ exitId }) => exitId))}::bigint[],
      ${bigintArray(rows.map(({ chargedBytes }) => chargedBytes))}::bigint[],
      ${bigintArray(rows.map(({ bonusBytes }) => bonusBytes))}::bigint[],
      ${bigintArray(rows.map(({ relayedBytes }) => relayedBytes))}::bigint[]
    ) told(hour_ms, pool, exit_id, charged, bonus, relayed)
    on conflict (hour, pool, exit_id) do update set
      charged_bytes = greatest(known.charged_bytes, excluded.charged_bytes),
      bonus_bytes = greatest(known.bonus_bytes, excluded.bonus_bytes),
      relayed_bytes = greatest(known.relayed_bytes, excluded.relayed_bytes)
    where (known.charged_bytes, known.bonus_bytes, known.relayed_bytes)
      is distinct from (excluded.charged_bytes, excluded.bonus_bytes, excluded.relayed_bytes)`.execute(db)
}

/** What refunds and late payments have changed of holdings, which may have no usage since. */
function correct(db: Kysely<DB>, others: readonly Holding[], now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    await alone(tx)
    await keepPriced(tx, await price(tx, [], { others, correctedAt: hourOf(now) }))
  })
}
