/** Whether the server can be reached, as far as the browser and the loading of code have noticed. */
import { useSyncExternalStore } from 'react'
import { Listeners } from './listeners.ts'

const checkEveryMs = 3000
const answerWithinMs = 5000

const listeners = new Listeners()
let waiting = 0
let isWatching = false
let isOffline = false

/**
 * `offline`: the browser has no network. `unreachable`: a part of the site waits for the server to answer
 * again.
 */
export type Connection = 'online' | 'offline' | 'unreachable'

const connection = (): Connection => (isOffline ? 'offline' : waiting > 0 ? 'unreachable' : 'online')

export const useConnection = (): Connection =>
  useSyncExternalStore(listeners.subscribe, connection, () => 'online')

/** Whether the server answers, with any status. */
export async function serverAnswers(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(answerWithinMs) })
    return true
  } catch {
    return false
  }
}

/** Resolves when the server answers; until then `useConnection` says `unreachable`. */
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

const hasNetwork = () => typeof navigator === 'undefined' || navigator.onLine

let asked: Promise<boolean> | null = null

/**
 * Whether the browser has no network. `navigator.onLine` may be wrong: a shop on the same machine, or behind
 * a virtual network, is still reachable. So this asks the server, once for simultaneous calls.
 */
export async function isOfflineNow(): Promise<boolean> {
  if (hasNetwork()) return false
  asked ??= serverAnswers().finally(() => {
    asked = null
  })
  return !(await asked)
}

function setOffline(now: boolean): void {
  if (isOffline === now) return
  isOffline = now
  listeners.notify()
}

/** Keeps `isOffline` true from the loss of the network until it is back. */
async function watchOffline(): Promise<void> {
  if (isWatching) return
  isWatching = true
  while (await isOfflineNow()) {
    setOffline(true)
    await pauseOrOnline()
  }
  setOffline(false)
  isWatching = false
}

if (typeof window !== 'undefined') {
  window.addEventListener('offline', () => void watchOffline())
  void watchOffline()
}
