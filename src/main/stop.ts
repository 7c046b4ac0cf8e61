/** Stopping: things started are stopped in the opposite order, once, whatever asks for it. */
import { replacedSignal } from './gateway/slot.ts'
import type { Log } from './log.ts'

export class Stopper {
  readonly #steps: { name: string; stop: () => Promise<void> }[] = []
  #stopping: Promise<void> | undefined

  /** What is added while the rest is being stopped began too late, and is stopped at once. */
  add(name: string, stop: () => Promise<void>): void {
    if (this.#stopping === undefined) this.#steps.push({ name, stop })
    // What it stands on may be gone by now: then it ends with the process.
    else stop().catch(() => undefined)
  }

  /** Stops everything. A step that fails is reported and does not keep the others from stopping. */
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

/** A signal that reaches a process on two ways, by its group and from whoever started it, is one asking. */
const oneAskingMs = 500

/**
 * Calls `hurry` when the process is asked to end once more: somebody will not wait for what was begun. Until the
 * returned function is called.
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

/** What was begun and never came to an end keeps a process that has stopped everything else for so long. */
const leaveAfterMs = 2_000

/**
 * The life of a process: starts what it is for, waits until it is asked to end, and stops everything. Whoever asks while
 * something cannot be started does not wait for it.
 */
export async function serve(
  { asked, stopper, log }: { asked: Promise<string>; stopper: Stopper; log: Log },
  start: () => Promise<void>,
): Promise<void> {
  try {
    const reason = await Promise.race([start().then(() => asked), asked])
    log.info({ reason }, 'stopping')
  } finally {
    await stopper.stop(log)
    setTimeout(() => process.exit(), leaveAfterMs).unref()
  }
}

/**
 * Resolves when the process is asked to end: a signal, or the death of the process that started it (the bootstrap
 * holds an IPC channel open, so that even kill -9 of it is noticed).
 */
export function askedToStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.on(signal, () => resolve(signal))
    process.on(replacedSignal, () => resolve('another gateway has taken over'))
    if (process.send !== undefined) process.on('disconnect', () => resolve('the starting process is gone'))
  })
}
