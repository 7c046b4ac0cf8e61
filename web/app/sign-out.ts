import { callWith, queryClient } from './api.ts'
import { logFault } from './log.ts'
import { session } from './session.ts'

/** Forgets the user here at once; the server is told, and a server that cannot be told lets the token run out. */
export function signOut(): void {
  const token = session.get()?.token
  session.clear()
  queryClient.clear()
  if (token === undefined) return
  callWith(token)('signout', {}).catch((error: unknown) => logFault('the session was not ended', error))
}
