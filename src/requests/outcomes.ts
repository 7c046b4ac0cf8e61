/**
 * How connections ended, by customer and quarter of an hour, for figures that no single customer can spoil:
 * whoever makes connections fail on purpose is left out of them.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { blames } from '#contract/gateway/refusals'
import type { DB } from '#db'
import type { ConnectionRecord } from '#feed/connection.record'
import { bigintArray, textArray } from '#lib/pg-array'
import { askedCountry } from './usage.by.part.ts'

const slotMs = 15 * 60_000
const keptMs = 48 * 3_600_000

/** How many customers, those with the most failures in a period, are left out of its figures. */
const leftOut = 2
/**
 * The maximum weight of a customer in a period, in connections. With more connections, the failures are
 * scaled down in proportion.
 */
const mostOfCustomer = 1000

/** A record as it is stored. */
interface Row extends ConnectionRecord {
  endedMs: number
}

interface Outcome {
  slotMs: number
  pool: string
  country: string
  account: bigint
  reached: number
  failed: number
}

/**
 * Whether an exit served the connection. Null: it does not count for its pool, because the customer caused
 * its end, or the cause is unknown.
 */
function isReached({ code, connected_ms: connectedMs }: Row): boolean | null {
  if (code === null) return connectedMs === null ? null : true
  const blame = blames.get(code)
  if (blame === 'target') return true
  return blame === 'exit' || blame === 'shop' ? false : null
}

/** Adds records to the outcomes of their customers; called once per batch. */
export async function addOutcomes(tx: Transaction<DB>, rows: readonly Row[]): Promise<void> {
  const outcomes = new Map<string, Outcome>()
  for (const row of rows) {
    const reached = row.account === null ? null : isReached(row)
    if (row.account === null || reached === null) continue
    const asked = askedCountry(row.settings)
    const country = /^[a-z]{2}$/.test(asked) ? asked : ''
    const slot = Math.floor(row.endedMs / slotMs) * slotMs
    const key = `${slot}\t${row.pool}\t${country}\t${row.account}`
    const known = outcomes.get(key) ?? {
      slotMs: slot,
      pool: row.pool,
      country,
      account: row.account,
      reached: 0,
      failed: 0,
    }
    outcomes.set(key, known)
    if (reached) known.reached++
    else known.failed++
  }
  if (outcomes.size === 0) return
  // Always in the same order, so that two batches wait for each other and do not deadlock.
  const all = [...outcomes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, outcome]) => outcome)
  await sql`
    insert into connection_outcome as known (slot, pool, country, account_id, reached, failed)
    select to_timestamp(slot_ms / 1000), pool, country, account, reached, failed from unnest(
      ${bigintArray(all.map((one) => one.slotMs))}::bigint[], ${textArray(all.map(({ pool }) => pool))}::text[],
      ${textArray(all.map(({ country }) => country))}::text[], ${bigintArray(all.map((one) => one.account))}::bigint[],
      ${bigintArray(all.map((one) => one.reached))}::bigint[], ${bigintArray(all.map((one) => one.failed))}::bigint[]
    ) as told(slot_ms, pool, country, account, reached, failed)
    on conflict (slot, pool, country, account_id) do update set
      reached = known.reached + excluded.reached, failed = known.failed + excluded.failed`.execute(tx)
}

/** The connections of a pool, or of one that asked for a country, without those of `leftOut` customers. */
export interface FairOutcome {
  pool: string
  /** Null: the whole pool. */
  country: string | null
  /** Distinct customers, those who are left out included. */
  customers: bigint
  /** Connections that count, and how many of them failed. */
  counted: bigint
  failed: bigint
}

/**
 * The outcomes of the connections that ended from `from` to `to` (excluded), whole slots: by pool, and by
 * pool and country. The customers with the most failures are left out, and each other one has a bounded
 * weight, so that neither a customer nor two of their accounts decide a figure.
 */
export async function fairOutcomes(
  db: Kysely<DB>,
  { from, to }: { from: Date; to: Date },
): Promise<FairOutcome[]> {
  const { rows } = await sql<FairOutcome>`
    with of_customer as (
      select pool, case when grouping(country) = 0 then country end as country, account_id,
        sum(reached + failed) as connections, sum(failed) as failed
      from connection_outcome where slot >= ${from} and slot < ${to}
      group by grouping sets ((pool, account_id), (pool, country, account_id))
    ), weighed as (
      select pool, country, account_id, least(connections, ${mostOfCustomer}::int) as weight,
        failed * least(connections, ${mostOfCustomer}::int) / connections as failing
      from of_customer where connections > 0 and country is distinct from ''
    ), ranked as (
      select *, row_number() over (partition by pool, country order by failing desc, account_id) as rank from weighed
    )
    select pool, country, count(*) as customers,
      coalesce(sum(weight) filter (where rank > ${leftOut}::int), 0)::bigint as counted,
      coalesce(ceil(sum(failing) filter (where rank > ${leftOut}::int)), 0)::bigint as failed
    from ranked group by pool, country order by pool, country nulls first`.execute(db)
  return rows
}

/** Deletes the outcomes of more than two days ago. */
export async function forgetOutcomes(db: Kysely<DB>, now: Date): Promise<void> {
  await sql`delete from connection_outcome where slot < ${new Date(now.getTime() - keptMs)}`.execute(db)
}
