/** Latency and success of exits by the hour, from the heartbeats of gateways. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { answerClasses, type ExitAnswers, percentileMs } from '#feed/exit.answers'
import { bigintArray } from '#lib/pg-array'
import { noteMinute } from './health.ts'

/** Whether a value can be a count of one heartbeat. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 2 ** 30
/** The limit of a row's count, so that no sum of rows overflows, whatever forged heartbeats report. */
export const mostCounted = 2n ** 46n

const isWhole = ({ exit, failed, answered }: ExitAnswers) =>
  typeof exit === 'bigint' &&
  exit > 0n &&
  isCount(failed) &&
  Array.isArray(answered) &&
  answered.length === answerClasses &&
  answered.every(isCount)

/**
 * Adds a gateway's report to the current hour. Malformed entries, and classes of another release, are
 * ignored.
 */
export async function noteAnswers(db: Kysely<DB>, told: readonly ExitAnswers[], now: Date): Promise<void> {
  const whole = told.filter(isWhole).toSorted((a, b) => (a.exit < b.exit ? -1 : 1))
  if (whole.length === 0) return
  await noteMinute(db, whole, now)
  await sql`
    with flat as (select ${bigintArray(whole.flatMap(({ answered }) => answered))}::bigint[] as counts)
    insert into exit_hour as known (hour, exit_id, failed, answered)
    select date_trunc('hour', ${now}::timestamptz, 'UTC'), told.exit, told.failed,
      (select counts[(told.n - 1) * ${answerClasses}::int + 1 : told.n * ${answerClasses}::int] from flat)
    from unnest(
      ${bigintArray(whole.map(({ exit }) => exit))}::bigint[],
      ${bigintArray(whole.map(({ failed }) => failed))}::bigint[]
    ) with ordinality told(exit, failed, n)
    where exists (select from exit where id = told.exit)
    order by told.exit
    on conflict (hour, exit_id) do update set
      failed = least(known.failed + excluded.failed, ${mostCounted}::bigint),
      answered = array(
        select least(a + b, ${mostCounted}::bigint) from unnest(known.answered, excluded.answered) with ordinality both_of(a, b, n) order by n)`.execute(
    db,
  )
}

/** The answers of an exit in a period. */
export interface AnswerFigures {
  /** Connections that were opened, and attempts that failed because of the exit. */
  answered: bigint
  failed: bigint
  /** Null: there was no answer; infinite: above the last class. */
  p50Ms: number | null
  p95Ms: number | null
}

/** The answers of exits in the hours from `from` on, by the exit's number. */
export async function answersSince(db: Kysely<DB>, from: Date): Promise<Map<bigint, AnswerFigures>> {
  const { rows } = await sql<{ exitId: bigint; failed: bigint; answered: bigint[] }>`
    select exit_id as "exitId", sum(failed)::bigint as failed, array_agg(count order by n) as answered
    from (
      select h.exit_id, one.n, sum(one.count)::bigint as count, sum(h.failed) filter (where one.n = 1) as failed
      from exit_hour h, unnest(h.answered) with ordinality one(count, n)
      where h.hour >= ${from} group by 1, 2
    ) class group by exit_id`.execute(db)
  return new Map(
    rows.map(({ exitId, failed, answered }) => {
      const counts = answered.map(Number)
      const sum = answered.reduce((all, count) => all + count, 0n)
      return [
        exitId,
        { answered: sum, failed, p50Ms: percentileMs(counts, 0.5), p95Ms: percentileMs(counts, 0.95) },
      ]
    }),
  )
}

const keptMs = 100 * 86_400_000

/** Deletes the hours of more than a hundred days ago. */
export async function forgetAnswers(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('exit_hour')
    .where('hour', '<', new Date(now.getTime() - keptMs))
    .execute()
}
