/** How the database is, and whether background jobs run: for whoever watches the process. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '#db'
import type { Jobs } from '#db/jobs/run'

/** Watches the database for as long as it is open. `registry` is null where nobody asks for metrics. */
export async function watchDatabase(database: Database, registry: Registry | null): Promise<void> {
  const watch = await database.watch()
  if (registry === null) return
  let told = 0
  const counter: Counter = new Counter({
    name: 'turnpike_database_away_seconds_total',
    help: 'For how long the database could not be reached, in all.',
    registers: [registry],
    collect: () => {
      const { awaySeconds } = watch
      counter.inc(awaySeconds - told)
      told = awaySeconds
    },
  })
  if (database.replicaAgeMs() === null) return
  const age: Gauge = new Gauge({
    name: 'turnpike_database_replica_age_seconds',
    help: 'How old what the replica tells may be; +Inf while that is not known.',
    registers: [registry],
    collect: () => age.set((database.replicaAgeMs() ?? 0) / 1000),
  })
}

export function jobsMetric(jobs: Jobs, registry: Registry | null): void {
  if (registry === null) return
  const gauge: Gauge = new Gauge({
    name: 'turnpike_jobs_running',
    help: '1 while this process runs background jobs; 0 while it cannot.',
    registers: [registry],
    collect: () => gauge.set(jobs.isRunning ? 1 : 0),
  })
}
