/** The health of exits from minute to minute: down, degraded or up, since when, and their last failure. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { ExitAnswers, ExitError } from '#feed/exit.answers'
import { bigintArray } from '#lib/pg-array'

export type Health = 'up' | 'degraded' | 'down'

export interface ExitHealth {
  /** Null: no connection was attempted through it yet. */
  health: Health | null
  since: Date | null
  error: (ExitError & { at: Date }) | null
  /** The minutes of the last hour, oldest first; minutes without attempts are left out. */
  minutes: { at: Date; answered: bigint; failed: bigint }[]
}

const minuteMs = 60_000
const keptMs = 60 * minuteMs
/** The period by which the state is judged. */
const lookMs = 5 * minuteMs
/** Fewer failures than this may concern a single customer. */
const leastFailures = 3n
/** Degraded: at least one of this number of attempts fails. */
const degradedShare = 5n

const mostStatus = 999
const unprintable = /[^\x20-\x7e]/g

/** The last failure of a report; null: there is none, or it is malformed. */
function errorOf({ last }: ExitAnswers): ExitError | null {
  if (last === undefined || typeof last !== 'object' || last === null) return null
  const { code, status, word } = last
  if (typeof code !== 'string' || !/^[a-z_]{1,64}$/.test(code)) return null
  const isStatus = Number.isSafeInteger(status) && Number(status) >= 0 && Number(status) <= mostStatus
  return {
    code,
    status: isStatus ? status : null,
    word: typeof word === 'string' && word !== '' ? word.replace(unprintable, '?').slice(0, 200) : null,
  }
}

/** Adds a gateway's report to the current minute, and keeps the last failure of each exit. */
export async function noteMinute(db: Kysely<DB>, told: readonly ExitAnswers[], now: Date): Promise<void> {
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)
  await sql`
    insert into exit_minute as known (minute, exit_id, failed, answered)
    select date_trunc('minute', ${now}::timestamptz, 'UTC'), told.exit, sum(told.failed), sum(told.answered)
    from unnest(${bigintArray(told.map(({ exit }) => exit))}::bigint[], ${bigintArray(told.map(({ failed }) => failed))}::bigint[],
      ${bigintArray(told.map(({ answered }) => sum(answered)))}::bigint[]) told(exit, failed, answered)
    where exists (select from exit where id = told.exit)
    group by told.exit order by told.exit
    on conflict (exit_id, minute) do update set
      failed = least(known.failed + excluded.failed, 2::bigint ^ 46)::bigint,
      answered = least(known.answered + excluded.answered, 2::bigint ^ 46)::bigint`.execute(db)
  const errors = new Map(
    told.flatMap((one) => {
      const error = errorOf(one)
      return error === null ? [] : [[one.exit, error] as const]
    }),
  )
  const all = [...errors]
  if (all.length === 0) return
  await sql`
    insert into exit_error (exit_id, at, code, status, word)
    select told.exit, ${now}::timestamptz, told.code, told.status, told.word
    from unnest(${bigintArray(all.map(([exit]) => exit))}::bigint[], ${all.map(([, { code }]) => code)}::text[],
      ${all.map(([, { status }]) => status)}::integer[], ${all.map(([, { word }]) => word)}::text[])
      told(exit, code, status, word)
    where exists (select from exit where id = told.exit) order by told.exit
    on conflict (exit_id) do update set
      at = excluded.at, code = excluded.code, status = excluded.status, word = excluded.word`.execute(db)
}

/**
 * Judges the exits by the last five minutes, after their failures were counted. An exit is down while
 * attempts fail and none succeeds, degraded while a fifth of them fail, and keeps its state without attempts.
 */
export async function judgeHealth(tx: Kysely<DB>, now: Date): Promise<void> {
  await sql`
    with recent as (
      select exit_id, sum(answered) as answered, sum(failed) as failed from exit_minute
      where minute > ${new Date(now.getTime() - lookMs)} and minute <= ${now} group by exit_id
    ), judged as (
      select w.exit_id,
        case
          when w.failing_since is not null and w.failures >= ${leastFailures} then 'down'
          when r.failed >= ${leastFailures} and r.failed * ${degradedShare} >= r.failed + r.answered then 'degraded'
          when r.answered > 0 then 'up'
          when w.health = 'down' then 'up'
          else w.health end as health
      from exit_watch w left join recent r on r.exit_id = w.exit_id
    )
    update exit_watch w set health = j.health,
      health_since = case when j.health = 'down' then w.failing_since else ${now}::timestamptz end
    from judged j where j.exit_id = w.exit_id and j.health is distinct from w.health`.execute(tx)
  await sql`delete from exit_minute where minute < ${new Date(now.getTime() - keptMs)}`.execute(tx)
}

/** The health of all exits that gateways have reported, by the exit's number. */
export async function exitHealth(db: Kysely<DB>, now: Date): Promise<Map<bigint, ExitHealth>> {
  const { rows } = await sql<{
    exitId: bigint
    health: Health | null
    since: Date | null
    at: Date | null
    code: string
    status: number | null
    word: string | null
  }>`
    select e.id as "exitId", w.health, w.health_since as since, r.at, r.code, r.status, r.word
    from exit e left join exit_watch w on w.exit_id = e.id left join exit_error r on r.exit_id = e.id`.execute(
    db,
  )
  const minutes = await sql<{ exitId: bigint; at: Date; answered: bigint; failed: bigint }>`
    select exit_id as "exitId", minute as at, answered, failed from exit_minute
    where minute > ${new Date(now.getTime() - keptMs)} and minute <= ${now} order by exit_id, minute`.execute(
    db,
  )
  const ofExit = Map.groupBy(minutes.rows, ({ exitId }) => exitId)
  return new Map(
    rows.map(({ exitId, health, since, at, code, status, word }) => [
      exitId,
      {
        health,
        since,
        error: at === null ? null : { at, code, status, word },
        minutes: (ofExit.get(exitId) ?? []).map(({ at, answered, failed }) => ({ at, answered, failed })),
      },
    ]),
  )
}
