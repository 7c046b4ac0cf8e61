/** Orderly stop: parts are stopped once, in the reverse order of their start. */
import type { Log } from './log.ts'
import { releaseMemory } from './memory.ts'

/** Tells a gateway that another one has taken over its ports. */
export const replacedSignal = 'SIGUSR2'

export class Stopper {
  readonly #steps: { name: string; stop: () => Promise<void> }[] = []
  #stopping: Promise<void> | undefined

  /** Adds a step. A step that is added while the process is stopping runs at once. */
  add(name: string, stop: () => Promise<void>): void {
    if (this.#stopping === undefined) this.#steps.push({ name, stop })
    // Its dependencies may be stopped already; an error is ignored, because the process is ending.
    else stop().catch(() => undefined)
  }

  /** Runs all steps. A step that fails is reported, and the others still run. */
  stop(log: Log): Promise<void> {
    this.#stopping ??= this.#run(log)
    return this.#stopping
  }

  async #run(log: Log): Promise<void> {
    const failures: unknown[] = []
    for (const { name, stop } of this.#steps.toReversed()) {
      await stop().catch((error: unknown) => {
        log.error({ err: error }, `stopping ${name} failed`)
        failures.push(error)
      })
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything stopped cleanly')
  }
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Signals within this time count as one: the same signal may arrive through the process group and from the
 * parent process.
 */
const oneAskingMs = 500

/**
 * Calls `hurry` when the process is asked to end again, which means that it should not wait any longer; until
 * the returned function is called.
 */
export function onSecondAsking(hurry: () => void): () => void {
  const begun = performance.now()
  const heard = () => {
    if (performance.now() - begun > oneAskingMs) hurry()
  }
  for (const signal of stopSignals) process.on(signal, heard)
  return () => {
    for (const signal of stopSignals) process.off(signal, heard)
  }
}

/** How long a process that has stopped everything waits for operations that do not end. */
const leaveAfterMs = 2_000

/**
 * A process that works for less than this part of so many seconds is idle: nobody makes calls. The jobs of a
 * shop without customers take two to four hundredths of a busy machine; in single seconds, half of it.
 */
const idleBelow = 0.05
const idleSeconds = 10

/** Collects garbage when the process has been idle for ten seconds, since it stands still meanwhile. */
function releaseMemoryWhenIdle(): void {
  const looks = [performance.eventLoopUtilization()]
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    if (looks.push(now) <= idleSeconds) return
    const { utilization } = performance.eventLoopUtilization(now, looks.shift())
    if (utilization > idleBelow) return
    clearInterval(timer)
    releaseMemory()
  }, 1000)
  timer.unref()
}

/**
 * Runs a process: starts its parts, waits until it is asked to end, and stops everything. A request to end
 * during the start does not wait for parts that cannot be started.
 */
export async function serve(
  { asked, stopper, log }: { asked: Promise<string>; stopper: Stopper; log: Log },
  start: () => Promise<void>,
): Promise<void> {
  try {
    const started = start().then(() => {
      releaseMemoryWhenIdle()
      return asked
    })
    const reason = await Promise.race([started, asked])
    log.info({ reason }, 'stopping')
  } finally {
    await stopper.stop(log)
    setTimeout(() => process.exit(), leaveAfterMs).unref()
  }
}

/**
 * Resolves when the process is asked to end: by a signal, or by the death of its parent process (the
 * bootstrap holds an IPC channel open, so even its kill -9 is noticed).
 */
export function askedToStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.on(signal, () => resolve(signal))
    process.on(replacedSignal, () => resolve('another gateway has taken over'))
    if (process.send !== undefined) process.on('disconnect', () => resolve('the starting process is gone'))
  })
}
