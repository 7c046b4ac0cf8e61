/** Erases hosts stored before a customer chose that none are stored. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { withheldHost } from '#feed/connection.record'

/** The number of records changed per statement. */
const batchRows = 5000
/** By then every batch that did not see the customer's choice is committed. */
const settledMinutes = 10

/**
 * Replaces the hosts of records and sums of those customers by `(withheld)`, batch by batch; when `isOver`,
 * the rest is left for the next call. It repeats until ten minutes after the choice: a concurrent batch may
 * still store hosts. Returns how many records were changed. Two calls must not overlap.
 */
export async function eraseWithheld(db: Kysely<DB>, isOver: () => boolean = () => false): Promise<number> {
  const { rows } = await sql<{ account: bigint; isSettled: boolean }>`
    select account_id as account, since < now() - make_interval(mins => ${settledMinutes}) as "isSettled"
    from host_privacy where erased_at is null order by since, account_id`.execute(db)
  let erased = 0
  for (const { account, isSettled } of rows) {
    let after: Date | null = new Date(0)
    while (after !== null) {
      if (isOver()) return erased
      const batch: { count: number; last: Date | null } = await eraseRecords(db, account, after)
      erased += batch.count
      after = batch.last
    }
    await eraseSums(db, account)
    if (isSettled)
      await sql`update host_privacy set erased_at = now() where account_id = ${account}`.execute(db)
  }
  return erased
}

/**
 * The next records from a time on; `last` is that of the last one, null when there are no more, or the
 * customer has revoked the choice.
 */
async function eraseRecords(
  db: Kysely<DB>,
  account: bigint,
  after: Date,
): Promise<{ count: number; last: Date | null }> {
  const { rows } = await sql<{ count: bigint; last: Date | null }>`
    with batch as (
      select tableoid, ctid, ended_at from connection_record
      where account_id = ${account} and ended_at >= ${after} and (host <> ${withheldHost} or target_address is not null)
        and exists (select from host_privacy where account_id = ${account})
      order by ended_at limit ${batchRows}
    ), changed as (
      update connection_record r set host = ${withheldHost}, port = null, sentence = null, exit_word = null, target_address = null
      from batch b where r.tableoid = b.tableoid and r.ctid = b.ctid and r.ended_at = b.ended_at
      returning r.ended_at
    )
    select count(*) as count, max(ended_at) as last from changed`.execute(db)
  const { count = 0n, last = null } = rows[0] ?? {}
  return { count: Number(count), last }
}

/**
 * Merges the sums of hosts into one row per day and pool. Each day is changed by itself and has a bounded
 * number of rows.
 */
async function eraseSums(db: Kysely<DB>, account: bigint): Promise<void> {
  const hosts = sql`account_id = ${account} and part = 'host' and key not in ('', ${withheldHost})`
  const { rows: days } = await sql<{ day: string; pool: string }>`
    select distinct day::text, pool from usage_part_day where ${hosts} order by 1, 2`.execute(db)
  for (const { day, pool } of days)
    await transaction(db, (tx) =>
      sql`
        with gone as (
          delete from usage_part_day where ${hosts} and day = ${day}::date and pool = ${pool}
            and exists (select from host_privacy where account_id = ${account})
          returning connections, refused, relayed_bytes, charged_bytes
        )
        insert into usage_part_day as known
          (day, account_id, pool, part, key, connections, refused, relayed_bytes, charged_bytes)
        select ${day}::date, ${account}::bigint, ${pool}, 'host', ${withheldHost}, sum(connections), sum(refused),
          bounded(sum(relayed_bytes)), bounded(sum(charged_bytes))
        from gone having count(*) > 0
        on conflict (day, account_id, pool, part, key) do update set
          connections = known.connections + excluded.connections, refused = known.refused + excluded.refused,
          relayed_bytes = bounded(known.relayed_bytes::numeric + excluded.relayed_bytes),
          charged_bytes = bounded(known.charged_bytes::numeric + excluded.charged_bytes)`.execute(tx),
    )
}
