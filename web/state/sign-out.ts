import { callWith } from './api.ts'
import { clearCache } from './cache.ts'
import { forgetDestination } from './destination.ts'
import { text } from './i18n.ts'
import { logError } from './log.ts'
import { session } from './session.ts'
import { toast } from './toast.ts'
import { view } from './view.ts'
import { endView } from './view-calls.ts'

/**
 * Removes the stored user at once and ends the session on the server; when that fails, the token expires by
 * itself. In a view of staff it ends the view.
 */
export function signOut(): void {
  if (view !== null) {
    endView().catch((error: unknown) => toast.error((error as Error).message))
    return
  }
  const token = session.get()?.token
  forgetDestination()
  session.clear()
  clearCache()
  toast.success(text('header', 'signedOut'))
  if (token === undefined) return
  callWith(token)('signout', {}).catch((error: unknown) => logError('the session was not ended', error))
}
