/**
 * Daily usage for sellers that do not report it: the difference between consecutive readings. Usage decreases
 * a balance and increases an all-time counter. A change in the other direction is a refill or a reset
 * counter, and hides the usage in between. docs/decisions/0052-bills-by-balance.md has the rules.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { SellerAdapter, SellerBalance } from './adapters/adapter.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/**
 * Balances are read every 5 minutes: a longer time between two readings may hide a refill, and does not show
 * how much each day used.
 */
const mostBetweenMs = 15 * minuteMs

export interface Reading {
  bytes: bigint
  at: Date
}

/** The part of one difference that belongs to a day. */
export interface DayPart {
  /** YYYY-MM-DD, UTC. */
  day: string
  from: Date
  until: Date
  usedBytes: bigint
  isRefilled: boolean
  isMissed: boolean
}

/**
 * The daily usage between two readings. Usage across midnight is divided by time. Empty where the clock was
 * set back.
 */
export function partsBetween(
  meter: 'left' | 'used',
  { bytes: before, at: from }: Reading,
  { bytes: after, at: until }: Reading,
): DayPart[] {
  const span = until.getTime() - from.getTime()
  if (span <= 0) return []
  const used = meter === 'left' ? before - after : after - before
  const isRefilled = used < 0n
  const isMissed = span > mostBetweenMs
  const parts: DayPart[] = []
  let given = 0n
  for (let at = from.getTime(); at < until.getTime();) {
    const end = Math.min(Math.floor(at / dayMs) * dayMs + dayMs, until.getTime())
    const sofar = isRefilled ? 0n : (used * BigInt(end - from.getTime())) / BigInt(span)
    parts.push({
      day: new Date(at).toISOString().slice(0, 10),
      from: new Date(at),
      until: new Date(end),
      usedBytes: sofar - given,
      isRefilled,
      isMissed,
    })
    given = sofar
    at = end
  }
  return parts
}

/**
 * Adds a reading's usage to the account's days; does nothing for sellers that report daily usage.
 */
export async function keepMeter(
  tx: Transaction<DB>,
  { id, adapter }: { id: bigint; adapter: SellerAdapter },
  told: SellerBalance,
  now: Date,
): Promise<void> {
  const { meter } = adapter
  if (meter === undefined) return
  const bytes = meter === 'left' ? told.leftBytes : (told.usedBytes ?? null)
  const known = await tx
    .selectFrom('seller_account')
    .select(['meter_bytes', 'meter_at'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (known === undefined) return
  const { meter_bytes: knownBytes, meter_at: knownAt } = known
  if (knownAt !== null && knownAt >= now) return
  await tx
    .updateTable('seller_account')
    .set({ meter_bytes: bytes, meter_at: bytes === null ? null : now })
    .where('id', '=', id)
    .execute()
  if (bytes === null || knownBytes === null || knownAt === null) return
  for (const part of partsBetween(meter, { bytes: knownBytes, at: knownAt }, { bytes, at: now }))
    await sql`
      insert into seller_meter_day as known (account_id, day, used_bytes, from_at, until_at, is_refilled, is_missed)
      values (${id}, ${part.day}, ${part.usedBytes}, ${part.from}, ${part.until}, ${part.isRefilled}, ${part.isMissed})
      on conflict (account_id, day) do update set
        used_bytes = known.used_bytes + excluded.used_bytes, until_at = excluded.until_at,
        is_refilled = known.is_refilled or excluded.is_refilled,
        is_missed = known.is_missed or excluded.is_missed or known.until_at <> excluded.from_at`.execute(tx)
}

export interface MeteredDay {
  usedBytes: bigint
  /** The readings cover the whole day. */
  isComplete: boolean
  /** Why a past day is incomplete. */
  unclear: 'refilled' | 'missed' | null
}

/** The days of an account by differences, from `from` until `to`, both included. */
export async function meteredDays(
  db: Kysely<DB>,
  accountId: bigint,
  { from, to }: { from: string; to: string },
): Promise<Map<string, MeteredDay>> {
  const rows = await db
    .selectFrom('seller_meter_day')
    .selectAll()
    .select(sql<string>`day::text`.as('name'))
    .where('account_id', '=', accountId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .execute()
  return new Map(
    rows.map((row) => {
      const start = Date.parse(row.name)
      const isWhole = row.from_at.getTime() <= start && row.until_at.getTime() >= start + dayMs
      const unclear = row.is_refilled
        ? 'refilled'
        : row.is_missed || row.from_at.getTime() > start
          ? 'missed'
          : null
      return [row.name, { usedBytes: row.used_bytes, isComplete: isWhole && unclear === null, unclear }]
    }),
  )
}
