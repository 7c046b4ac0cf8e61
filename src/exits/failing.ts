/**
 * Detects exits that have stopped working, from the counts reported by gateways: the current hour's counts
 * grow, and past hours do not change.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { judgeHealth } from './health.ts'

export interface FailingExit {
  id: bigint
  name: string
  pool: string
  since: Date
}

/** Fewer failures than this may concern a single customer. */
const leastFailures = 3n

/**
 * Examines what was counted since the last check; called about once a minute. An exit is failing from the
 * check that finds failures and no answer until the check that finds an answer; without attempts its state is
 * unchanged.
 */
export function watchExits(db: Kysely<DB>, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    await sql`
      with counted as (
        select h.exit_id, max(h.hour) as hour,
          sum(h.failed)::bigint as failed, sum((select sum(one) from unnest(h.answered) one))::bigint as answered,
          (array_agg(h.failed order by h.hour desc))[1] as last_failed,
          (array_agg((select sum(one) from unnest(h.answered) one) order by h.hour desc))[1]::bigint as last_answered
        from exit_hour h left join exit_watch w on w.exit_id = h.exit_id
        where h.hour >= coalesce(w.hour, ${new Date(now.getTime() - 2 * 3_600_000)})
        group by h.exit_id
      ), change as (
        select c.*, c.answered - coalesce(w.answered, 0) as new_answered, c.failed - coalesce(w.failed, 0) as new_failed
        from counted c left join exit_watch w on w.exit_id = c.exit_id
      )
      insert into exit_watch as known (exit_id, hour, answered, failed, failing_since, failures)
      select exit_id, hour, last_answered, last_failed,
        case when new_answered = 0 and new_failed > 0 then ${now}::timestamptz end,
        case when new_answered = 0 then new_failed else 0 end
      from change order by exit_id
      on conflict (exit_id) do update set hour = excluded.hour, answered = excluded.answered, failed = excluded.failed,
        failing_since = case
          when (select new_answered from change c where c.exit_id = known.exit_id) > 0 then null
          else coalesce(known.failing_since, excluded.failing_since) end,
        failures = case
          when (select new_answered from change c where c.exit_id = known.exit_id) > 0 then 0
          else known.failures + excluded.failures end`.execute(tx)
    await judgeHealth(tx, now)
  })
}

/**
 * The exits in use that have answered no connection for so many minutes, and the pools that have no other
 * exit in use.
 */
export async function exitsDown(
  db: Kysely<DB>,
  { now, minutes }: { now: Date; minutes: bigint },
): Promise<{ exits: FailingExit[]; pools: string[] }> {
  const before = new Date(now.getTime() - Number(minutes) * 60_000)
  const { rows } = await sql<FailingExit & { isDown: boolean }>`
    select e.id, e.name, e.pool, w.failing_since as since,
      coalesce(w.failing_since <= ${before} and w.failures >= ${leastFailures}, false) as "isDown"
    from exit e left join exit_watch w on w.exit_id = e.id where e.enabled and e.weight > 0 order by e.id`.execute(
    db,
  )
  const ofPool = Map.groupBy(rows, ({ pool }) => pool)
  return {
    exits: rows
      .filter(({ isDown }) => isDown)
      .map(({ id, name, pool, since }) => ({ id, name, pool, since })),
    pools: [...ofPool].flatMap(([pool, exits]) => (exits.every(({ isDown }) => isDown) ? pool : [])),
  }
}
