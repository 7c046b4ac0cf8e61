/**
 * The rate limit of a reseller's program: 20 calls a second, and a burst of 60, over all api processes
 * together; by agreement a multiple of both.
 *
 * It is the generic cell rate algorithm (ITU-T I.371, as a leaky bucket): each call is worth 50 ms, and one
 * time per account, `paid_until`, records how far the calls are ahead. A call is admitted while that is at
 * most 3 s ahead. The clock is the database's: processes on machines with different clocks decide alike. One
 * statement, one row, no lock but the row's own; a refused call writes nothing. A time farther ahead than the
 * window allows means that the clock was set back, and is ignored.
 *
 * `src/http/admission/pace.ts` is the same algorithm in memory, for one process: it protects that process's
 * time. The limit promised to resellers must not depend on the number of processes, so it is kept here.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import type { Pace } from '#db/call'

export const callsPerSecond = 20
export const callsAtOnce = 60

const callMillis = 1000 / callsPerSecond
const windowMillis = callMillis * callsAtOnce

/**
 * Counts one call of the account that `owner` selects, with its `id` and any other columns. Returns the row of
 * `owner` with the account's remaining allowance or the time to wait; null when it selects none.
 */
export async function keepPace<Owner extends { id: bigint }>(
  db: Kysely<DB>,
  owner: RawBuilder<Owner>,
): Promise<(Owner & { pace: Pace }) | null> {
  const millis = (number: RawBuilder<unknown>) => sql`${number} * interval '1 millisecond'`
  const ofCall = sql`(select call_millis from agreed)`
  const window = sql`${windowMillis}::float8`
  const { rows } = await sql<Owner & Counted>`
    with owner as materialized (${owner}), agreed as (
      select times, ${callMillis}::float8 / times as call_millis
      from (
        select coalesce((select pace_times from reseller_agreement where account_id = owner.id), 1) as times
        from owner
      ) one
    ), counted as (
      insert into reseller_pace as pace (account_id, paid_until)
      select id, clock_timestamp() + ${millis(ofCall)} from owner
      on conflict (account_id) do update
        set paid_until = ${millis(ofCall)} + case
          when pace.paid_until between clock_timestamp() and clock_timestamp() + ${millis(window)}
          then pace.paid_until else clock_timestamp() end
        where not pace.paid_until between clock_timestamp() + ${millis(sql`(${window} - ${ofCall})`)}
          and clock_timestamp() + ${millis(window)}
      returning paid_until
    ), known as (
      select paid_until, true as let_through from counted
      union all
      select paid_until, false from reseller_pace
      where account_id = (select id from owner) and not exists (select from counted)
    )
    select owner.*, let_through, times,
      (1000 * extract(epoch from paid_until - clock_timestamp()))::float8 as ahead_millis
    from owner cross join agreed left join known on true
  `.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const { ahead_millis: aheadMillis, let_through: letThrough, times } = row
  // Two concurrent first calls of an account: the later one sees neither its own row nor the other's yet.
  if (aheadMillis === null || letThrough === null) return keepPace(db, owner)
  return { ...row, pace: paceOf(aheadMillis, letThrough, times) }
}

/** Null: the account's row was not visible to the statement. */
interface Counted {
  ahead_millis: number | null
  let_through: boolean | null
  times: number
}

/** The values of the answer's headers. `times`: the agreed multiple of the usual rate limit. */
export function paceOf(aheadMillis: number, letThrough: boolean, times = 1): Pace {
  const ahead = Math.max(0, aheadMillis)
  const ofCall = callMillis / times
  return {
    times,
    limit: callsAtOnce * times,
    windowSeconds: windowMillis / 1000,
    remaining: letThrough ? Math.max(0, Math.floor((windowMillis - ahead) / ofCall)) : 0,
    resetSeconds: Math.ceil(ahead / 1000),
    retryAfterSeconds: letThrough ? null : Math.max(1, Math.ceil((ahead - windowMillis + ofCall) / 1000)),
  }
}
