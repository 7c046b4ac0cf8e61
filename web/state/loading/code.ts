/** Loads the code of a page or a part of one when it is first needed. */
import { type ComponentType, lazy } from 'react'
import { loadTexts, type Namespace } from '../i18n.ts'
import { serverAnswers, untilServerAnswers } from '../connection.ts'

const reloadEveryMs = 60_000

/**
 * Calls `load` until it succeeds. While the server cannot be reached, it waits: the page on the screen stays,
 * and the layout says why nothing happens. When the server answers but the code does not load, the page was
 * opened before a release and asks for files that no longer exist: one reload fetches the new ones. Rejects
 * when that did not help.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      // The server has all code locally: waiting would not help.
      if (import.meta.env.SSR) throw error
      if (!(await serverAnswers())) await untilServerAnswers()
      else if (reloadOnce()) await new Promise<never>(() => undefined)
      else throw error
    }
  }
}

/**
 * Loads code that is likely to be needed soon, once the page on the screen has loaded. Code that does not
 * arrive is loaded when needed.
 */
export function whenIdle(load: () => Promise<unknown>): void {
  if (import.meta.env.SSR) return
  const run = () => void load().catch(() => undefined)
  // Safari has no idle callbacks.
  if ('requestIdleCallback' in window) requestIdleCallback(run, { timeout: 5000 })
  else setTimeout(run, 1000)
}

/** A component whose code and texts are loaded when it is first rendered. */
export const lazyPart = <P>(load: () => Promise<ComponentType<P>>, ...texts: Namespace[]) =>
  lazy(async () => {
    const [component] = await loadCode(() => Promise.all([load(), loadTexts(...texts)]))
    return { default: component }
  })

/** Without storage it does not reload: it could not know that it had. */
function reloadOnce(): boolean {
  try {
    const last = Number(sessionStorage.getItem('reloaded') ?? 0)
    if (Date.now() - last < reloadEveryMs) return false
    sessionStorage.setItem('reloaded', String(Date.now()))
  } catch {
    return false
  }
  window.location.reload()
  return true
}
