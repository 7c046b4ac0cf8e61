/** Asks before what is typed and not stored is lost. */
import { useEffect } from 'react'
import { useBlocker } from 'react-router'

interface Blocked {
  /** Continues and discards the typed text. */
  leave: () => void
  stay: () => void
}

/**
 * While `isUnsaved`, another address of the desk waits for an answer, which the page asks for; null: nothing
 * waits. A tab that is closed is asked about by the browser.
 */
export function useUnsaved(isUnsaved: boolean): Blocked | null {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isUnsaved &&
      `${currentLocation.pathname}${currentLocation.search}` !==
        `${nextLocation.pathname}${nextLocation.search}`,
  )
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUnsaved])
  return blocker.state === 'blocked' ? { leave: () => blocker.proceed(), stay: () => blocker.reset() } : null
}
