/** Computes completed hours: the traffic of each exit, and its revenue. A job runs it every hour. */
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
import { keepPriced } from './store.priced.ts'
import { price } from './pricing.ts'

const hourMs = 3_600_000
/**
 * Nearly all reports of an hour have arrived by then; the next run corrects for later ones.
 */
const settlingMs = 10 * 60_000
/**
 * Hours that every run checks again. Hours already summed into days are marked when a report adds to them.
 */
const lookBackMs = 48 * hourMs
/** Tolerance for invoices settled by machines with different clocks. */
const clocksMs = 2 * hourMs
const rowsAtOnce = 2000

/** All hours before this one have been computed; null: none. */
export async function countedThrough(db: Kysely<DB>): Promise<Date | null> {
  const row = await db.selectFrom('margin_counted').select('through').executeTakeFirst()
  return row?.through ?? null
}

/**
 * Computes all hours that ended at least ten minutes ago, late reports of earlier hours, and the effects of
 * refunds. Safe to repeat and to call concurrently. A settlement waits for it only when it adds to an hour
 * that is being computed.
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

/** One run at a time, so that no position is advanced twice. */
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

/** Corrections for refunds and late payments on holdings, which may have no later usage. */
function correct(db: Kysely<DB>, others: readonly Holding[], now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    await alone(tx)
    await keepPriced(tx, await price(tx, [], { others, correctedAt: hourOf(now) }))
  })
}
