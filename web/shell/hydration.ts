import { languageOfPath } from '#contract/pages'
import { endedSession } from '../state/destination.ts'
import { currentLanguage } from '../state/i18n.ts'
import { session } from '../state/session.ts'
import { view } from '../state/view.ts'

/**
 * Whether the browser would render this page as the server did, so that it can hydrate the server's elements.
 * Public pages are the same for everybody. The sign-in page is the same for visitors without a session to
 * whom it shows no message. The server renders account pages only as placeholders, which are never hydrated.
 */
export function isAsRendered(): boolean {
  if (languageOfPath(window.location.pathname) !== null) return true
  const handedOver = (window.history.state as { usr?: unknown } | null)?.usr ?? null
  return (
    window.location.pathname === '/login' &&
    document.documentElement.lang === currentLanguage() &&
    session.get() === null &&
    view === null &&
    endedSession() === null &&
    handedOver === null
  )
}
