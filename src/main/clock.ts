/**
 * Reports a wrong clock of this machine: in the log, on /readyz, in the metrics, and in `turnpike doctor`.
 */
import { Gauge, type Registry } from 'prom-client'
import type { DatabaseClock } from '#db'
import type { Readiness } from './health/readiness.ts'
import type { Services } from './services.ts'
import type { Stopper } from './process/stop.ts'

/** The deviation of the machine's clock from the database's, as a sentence; null while it is tolerable. */
export function clockFault({ isRight, aheadMs }: Pick<DatabaseClock, 'isRight' | 'aheadMs'>): string | null {
  if (isRight) return null
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's.`
}

const lookEveryMs = 1_000

/** Watches the clock until the process ends. `registry` is null in processes without metrics. */
export function watchClock(
  { database: { clock }, log }: Pick<Services, 'database' | 'log'>,
  stopper: Stopper,
  { registry, readiness }: { registry: Registry | null; readiness: Readiness },
): void {
  readiness.add(() => clockFault(clock))
  if (registry !== null) {
    const gauge: Gauge = new Gauge({
      name: 'turnpike_clock_ahead_seconds',
      help: "How far this machine's clock is ahead of the database's.",
      registers: [registry],
      collect: () => gauge.set(clock.aheadMs / 1000),
    })
  }
  let wasRight = true
  const look = () => {
    if (clock.isRight === wasRight) return
    wasRight = clock.isRight
    if (wasRight) log.info('the clock of this machine is right again')
    else log.error(`${clockFault(clock)} Set it right: until then no scheduled work is done here.`)
  }
  look()
  const timer = setInterval(look, lookEveryMs)
  stopper.add('the look at the clock', async () => clearInterval(timer))
}
