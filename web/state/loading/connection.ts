/** Whether the server can be reached, as far as the loading of code has noticed. */
import { useSyncExternalStore } from 'react'
import { Listeners } from '../listeners.ts'

const checkEveryMs = 3000
const answerWithinMs = 5000

const listeners = new Listeners()
let waiting = 0

/** Whether a part of the site waits for the server to answer again. */
export const useIsUnreachable = () =>
  useSyncExternalStore(
    listeners.subscribe,
    () => waiting > 0,
    () => false,
  )

/** Whether the server answers at all, whatever it answers. */
export async function serverAnswers(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(answerWithinMs) })
    return true
  } catch {
    return false
  }
}

/** Resolves when the server answers; until then `useIsUnreachable` is true. */
export async function untilServerAnswers(): Promise<void> {
  waiting += 1
  listeners.notify()
  while (!(await serverAnswers())) await pauseOrOnline()
  waiting -= 1
  listeners.notify()
}

const pauseOrOnline = () =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, checkEveryMs)
    window.addEventListener('online', end)
  })
