/** The one API client of the web: calls are made for the signed-in user, in the current language. */
import { type Client, CallError, createClient } from '#contract/client'
import { invalidateCache } from './cache.ts'
import { currentLanguage } from './i18n.ts'
import { isOfflineNow } from './connection.ts'
import { session } from './session.ts'
import { leaveView, view } from './view.ts'

let redirectToLogin: () => void = () => undefined

/** Registers the navigation to /login: the router is created later than the client. */
export function onSignedOut(redirect: () => void): void {
  redirectToLogin = redirect
}

let showOtherAccount: () => void = () => undefined

/** Registers what is done when this page shows another account than the one on which the session acts. */
export function onOtherAccount(show: () => void): void {
  showOtherAccount = show
}

/**
 * On a 401 of any call, ends the session of the refused token and navigates to /login. Where the browser has
 * another session by now, the answer came late: the page reads again with that one.
 */
function onUnauthorized(token: string | null): void {
  if (view !== null) return leaveView()
  if (session.end(token)) redirectToLogin()
  else if (token !== null) invalidateCache()
}

export const call: Client = createClient({
  token: () => session.get()?.token ?? null,
  account: () => session.get()?.user_id ?? null,
  view: () => view?.id ?? null,
  language: currentLanguage,
  onUnauthorized,
  onOtherAccount: () => showOtherAccount(),
  isOffline: isOfflineNow,
})

/** A client without the token, for data that public pages show to all visitors alike. */
export const callAsAnyone: Client = createClient({
  token: () => null,
  language: currentLanguage,
  onUnauthorized,
  isOffline: isOfflineNow,
})

/** A client for a token that belongs to no stored session: right after signing in, and for signing out. */
export const callWith = (token: string): Client => callShowing(token, null)

/** The same for a page that will show an account; null: none yet. */
export function callShowing(token: string, account: number | null): Client {
  return createClient({
    token: () => token,
    account: () => account,
    language: currentLanguage,
    onUnauthorized,
    isOffline: isOfflineNow,
  })
}

/**
 * Whether the call was refused because the session ended; the client has then navigated to /login already.
 */
export const isSignedOut = (error: unknown): boolean => error instanceof CallError && error.status === 401
