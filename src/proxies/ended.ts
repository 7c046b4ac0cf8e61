/**
 * Connections that a customer ends: all of a login, those of a sticky session, or a single one. Gateways end
 * them when it is announced; one that missed the announcement learns of it with the account.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { maxSessionMinutes } from '#contract/session-times'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { bigintArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'

/** The most sessions of a login that are remembered as ended. */
export const mostEnded = 500

/** Which connections are ended; `name`: the session, or the id of the request. */
export type Ending = { kind: 'all' } | { kind: 'session' | 'request'; name: string }

/** A login of a pool: an access, or one of its proxy users. */
export interface Holder {
  accessId: bigint
  id: bigint
  login: string
  pool: string
}

/** The ended connections of a login; times are the database's, epoch milliseconds. */
export interface Ended {
  /** When all connections were ended the last time; null: never. */
  allMs: number | null
  sessions: { name: string; times: number; atMs: number }[]
  requests: string[]
}

/**
 * Ends open connections of a login on all gateways when the transaction commits. A sticky session that is
 * ended takes another exit. Refuses with `too_many_ended_sessions`.
 */
export async function endConnections(tx: Transaction<DB>, holder: Holder, ending: Ending): Promise<void> {
  const name = ending.kind === 'all' ? '' : ending.name
  // Later than the last time, even if the clock was set back: gateways compare the times.
  await sql`
    insert into ended_connection as known (access_id, holder_id, kind, name)
    values (${holder.accessId}, ${holder.id}, ${ending.kind}, ${name})
    on conflict (holder_id, kind, name) do update set times = known.times + 1,
      ended_at = greatest(now(), known.ended_at + interval '1 millisecond')`.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ended_connection
    where holder_id = ${holder.id} and kind = ${ending.kind}`.execute(tx)
  if ((rows[0]?.count ?? 0) > mostEnded) {
    if (ending.kind === 'session') throw new Refusal('too_many_ended_sessions', { limit: mostEnded })
    await sql`
      delete from ended_connection where holder_id = ${holder.id} and kind = ${ending.kind} and name in (
        select name from ended_connection where holder_id = ${holder.id} and kind = ${ending.kind}
        order by ended_at desc offset ${mostEnded})`.execute(tx)
  }
  const { login, pool } = holder
  const event = printAnnouncement({ type: 'sessions_ended', login, pool, ending: ending.kind, name })
  await sql`select pg_notify(${feedChannel}, ${event})`.execute(tx)
}

/** The ended connections of each of these logins, by the id of the access or proxy user. */
export async function endedOf(db: Kysely<DB>, holders: readonly bigint[]): Promise<Map<bigint, Ended>> {
  const known = new Map<bigint, Ended>()
  if (holders.length === 0) return known
  const { rows } = await sql<{ id: bigint; kind: Ending['kind']; name: string; times: number; at: Date }>`
    select holder_id as id, kind, name, times, ended_at as at from ended_connection
    where holder_id = any(${bigintArray(holders)}::bigint[]) order by ended_at`.execute(db)
  for (const { id, kind, name, times, at } of rows) {
    const ended = known.get(id) ?? { allMs: null, sessions: [], requests: [] }
    known.set(id, ended)
    if (kind === 'all') ended.allMs = at.getTime()
    else if (kind === 'session') ended.sessions.push({ name, times, atMs: at.getTime() })
    else ended.requests.push(name)
  }
  return known
}

/** Forgets ended connections that are older than the longest session. */
export async function forgetEnded(db: Kysely<DB>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ended_connection where ended_at < now() - make_interval(mins => ${maxSessionMinutes + 60})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}
