/** Monitoring of the database and of background jobs. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '#db'
import type { SetBack } from '#traffic'

/** Where faults are reported. */
interface Log {
  error: (fields: object, sentence: string) => void
}

/** Watches the database for as long as it is open. `registry` is null in processes without metrics. */
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

/**
 * Returns the handler for a database that has gone back in time, which reports it. `registry` is null in
 * processes without metrics.
 */
export function setBackTeller(log: Log, registry: Registry | null): (setBack: SetBack) => void {
  const name = 'turnpike_database_lost_reports_total'
  const counter =
    registry === null
      ? null
      : // One process may serve gateways of this machine and of others, which share the metric.
        ((registry.getSingleMetric(name) as Counter | undefined) ??
        new Counter({
          name,
          help: 'Reports of gateways that the database had settled and does not know any more.',
          registers: [registry],
        }))
  return (setBack) => {
    counter?.inc(setBack.acknowledged - setBack.settledThrough)
    log.error(setBack, setBackSentence(setBack))
  }
}

/**
 * Returns the handler for data of gateways that the server refuses: it writes a log line and counts a metric.
 */
export function refusedTeller(log: Log, registry: Registry | null): (fault: Error, gateway: string) => void {
  const name = 'turnpike_feed_refused_total'
  const counter =
    registry === null
      ? null
      : ((registry.getSingleMetric(name) as Counter | undefined) ??
        new Counter({
          name,
          help: 'Reports and records of gateways that were refused for ever: a fault of a gateway, or a forgery.',
          registers: [registry],
        }))
  return (fault, gateway) => {
    counter?.inc()
    log.error({ gateway, reason: fault.message }, 'what a gateway sent was refused for ever: is it stolen?')
  }
}

export const setBackSentence = ({ gateway, acknowledged, settledThrough }: SetBack) =>
  `The database has gone back in time: of gateway ${gateway} it had settled ${acknowledged} reports and knows of ${settledThrough}. Payments of that time may be missing too.`

export function jobsMetric(jobs: { readonly isRunning: boolean }, registry: Registry | null): void {
  if (registry === null) return
  const gauge: Gauge = new Gauge({
    name: 'turnpike_jobs_running',
    help: '1 while this process runs background jobs; 0 while it cannot.',
    registers: [registry],
    collect: () => gauge.set(jobs.isRunning ? 1 : 0),
  })
}
