/** Metrics of letters, background jobs and backups, read from the database at each request for metrics. */
import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import { type Database, isDatabaseAway } from '#db'

interface Work {
  letters_sent: number
  letters_failed: number
  letters_waiting: number
  jobs_waiting: number
  jobs_failed: number
  jobs_oldest_seconds: number
  /** Null: there is none, or other tools make backups. */
  backup_age_seconds: number | null
}

/** Letters are those of the last 30 days: older ones are deleted. */
async function readWork({ db }: Pick<Database, 'db'>): Promise<Work | undefined> {
  const { rows } = await sql<Work>`
    select letters.*, jobs.*,
      (select extract(epoch from now() - max(made_at))::float8 from backup_made) as backup_age_seconds
    from (
      select count(sent_at)::float8 as letters_sent, count(failed_at)::float8 as letters_failed,
        count(*) filter (where sent_at is null and failed_at is null)::float8 as letters_waiting
      from mail
    ) letters, (
      select count(*) filter (where is_due)::float8 as jobs_waiting,
        count(*) filter (where attempts >= max_attempts and locked_at is null)::float8 as jobs_failed,
        coalesce(extract(epoch from now() - min(run_at) filter (where is_due)), 0)::float8 as jobs_oldest_seconds
      from (
        select *, (attempts < max_attempts and run_at <= now() and locked_at is null) as is_due
        from graphile_worker.jobs
      ) every_job
    ) jobs`.execute(db)
  return rows[0]
}

const series: Record<keyof Work, string> = {
  letters_sent: 'Letters of the last 30 days that were sent.',
  letters_failed: 'Letters of the last 30 days that were given up.',
  letters_waiting: 'Letters that are to be sent.',
  jobs_waiting: 'Background jobs that are due and not begun.',
  jobs_failed: 'Background jobs that were given up.',
  jobs_oldest_seconds: 'For how long the oldest job that is due has waited.',
  backup_age_seconds: 'How old the last turnpike backup is; absent where none was made.',
}

/**
 * Registers the series. While the database is unavailable they are absent. `registry` is null in processes
 * without metrics.
 */
export function workMetrics(database: Pick<Database, 'db'>, registry: Registry | null): void {
  if (registry === null) return
  // One query for all gauges of a page, made by the first that is collected.
  let reading: Promise<Work | undefined> | undefined
  const read = () => {
    reading ??= readWork(database)
      .catch((error: unknown) => {
        if (isDatabaseAway(error)) return undefined
        throw error
      })
      .finally(() => (reading = undefined))
    return reading
  }
  for (const [name, help] of Object.entries(series)) {
    const gauge: Gauge = new Gauge({
      name: `turnpike_${name}`,
      help,
      registers: [registry],
      collect: async () => {
        const value = (await read())?.[name as keyof Work] ?? null
        if (value === null) gauge.remove()
        else gauge.set(value)
      },
    })
  }
}
