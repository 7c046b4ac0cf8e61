/** Scheduled work runs only while the machine's clock is right: it is started and stopped accordingly. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseClock, isDatabaseAway } from '#db'
import type { Log } from './process/log.ts'
import type { Stopper } from './process/stop.ts'

/** Work that runs until it is stopped. */
export interface Shift {
  /** False while it is interrupted because the database is unavailable. */
  readonly isRunning: boolean
  stop: () => Promise<void>
}

const lookEveryMs = 1_000

/**
 * Starts the work, at once when the clock is right, and stops it with the process. Rejects when the first
 * start fails; a later start is retried while the database is unavailable. The returned function returns
 * whether the work is running.
 */
export async function workWhileRight(
  begin: () => Promise<Shift>,
  { clock, log, stopper }: { clock: Pick<DatabaseClock, 'isRight'>; log: Log; stopper: Stopper },
): Promise<Pick<Shift, 'isRunning'>> {
  const stopping = new AbortController()
  let shift = clock.isRight ? await begin() : null
  const change = async () => {
    if (shift === null && clock.isRight) shift = await begin()
    else if (shift !== null && !clock.isRight) {
      const ending = shift
      shift = null
      await ending.stop()
    }
  }
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await change().catch((error: unknown) => {
        if (!isDatabaseAway(error)) throw error
        log.warn({ err: error }, 'scheduled work cannot begin')
      })
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const watching = watch()
  stopper.add('the worker', async () => {
    stopping.abort()
    await watching
    await shift?.stop()
  })
  return {
    get isRunning() {
      return shift?.isRunning === true
    },
  }
}
