/** Scheduled work is done only on a machine whose clock is right: begun, left and begun again as it is. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseClock, isDatabaseAway } from '#db'
import type { Log } from './log.ts'
import type { Stopper } from './stop.ts'

/** Work that goes on by itself until it is stopped. */
export interface Shift {
  stop: () => Promise<void>
}

const lookEveryMs = 1_000

/**
 * Begins the work, at once when the clock is right, and stops it with the process. A first beginning that fails rejects; a
 * later one is tried again while the database is away.
 */
export async function workWhileRight(
  begin: () => Promise<Shift>,
  { clock, log, stopper }: { clock: Pick<DatabaseClock, 'isRight'>; log: Log; stopper: Stopper },
): Promise<void> {
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
}
