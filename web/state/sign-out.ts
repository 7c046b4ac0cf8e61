import { callWith, queryClient } from './api.ts'
import { logError } from './log.ts'
import { session } from './session.ts'

/** Removes the stored user at once and ends the session on the server; when that fails, the token expires by itself. */
export function signOut(): void {
  const token = session.get()?.token
  session.clear()
  queryClient.clear()
  if (token === undefined) return
  callWith(token)('signout', {}).catch((error: unknown) => logError('the session was not ended', error))
}
