/**
 * The page that a visitor requested before signing in, stored for this tab and half an hour. It is not in the
 * address, so no link can choose it. The page and the typed text of a session that ended are for its user
 * only: another user who signs in next arrives at their own account.
 */
import type { Pool } from '#contract/wire'
import { poolIn } from './search-parameter.ts'
import { session } from './session.ts'
import { type TypedField, typedText } from './typed-text.ts'

const key = 'destination'
const keptMs = 30 * 60_000
const longest = 500
/** The pages that need an account. */
const pages = /^\/(?:account|purchase|promocode|team_invitation)(?:\?|$)/

const home = '/account'

let present = session.get()
/** The user who was signed in last on this page. */
let last = present
/** The text typed when the session ended; null while a session exists, and after signing out. */
let typed: TypedField[] | null = null
let isSigningOut = false

// Called before the page is rendered without a session, so the typed text is still on the page.
session.subscribe(() => {
  const user = session.get()
  if (user !== null) {
    last = user
    typed = null
    isSigningOut = false
  } else if (isSigningOut) typed = null
  else if (present !== null) typed = typedText()
  present = user
})

type Place = Pick<Location, 'pathname' | 'search'>

function store(kept: Kept): void {
  try {
    sessionStorage.setItem(key, JSON.stringify({ ...kept, at: Date.now() }))
  } catch {
    // Without storage the account page opens after signing in.
  }
}

function pathOf({ pathname, search }: Place): string | undefined {
  const path = pathname + search
  return pages.test(path) && path.length <= longest ? path : undefined
}

/** Stores the address of a page that needs an account, for a visitor without one. Ignores other pages. */
export function keepDestination(place: Place): void {
  const path = pathOf(place)
  if (path !== undefined) store({ path, user: null })
}

/** Stores the page and the typed text of the user whose session has just ended, and that it has ended. */
export function keepLeftPlace(place: Place): void {
  if (last === null || isSigningOut) return
  const before = readKept()
  // A later 401 of the ended session may arrive on the sign-in page: keeps the path stored before.
  const path = pathOf(place) ?? (before.user === last.user_id ? before.path : undefined)
  store({ path, user: last.user_id, ended: { name: last.username ?? last.email }, typed: typed ?? [] })
}

/** Removes the stored address after signing out. Called before the session is removed. */
export function forgetDestination(): void {
  isSigningOut = session.get() !== null
  forget()
}

/** Whether the user has signed out on this page, as against a session that has ended. */
export const hasSignedOut = (): boolean => isSigningOut

interface Kept {
  path?: unknown
  user?: unknown
  at?: unknown
  /** The name of the user whose session has ended. */
  ended?: { name?: unknown }
  typed?: unknown
}

function readKept(): Kept {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Kept | null
    const isFresh = typeof kept?.at === 'number' && Math.abs(Date.now() - kept.at) <= keptMs
    return isFresh ? (kept ?? {}) : {}
  } catch {
    return {}
  }
}

/** The order that a visitor began before signing up; `pool`: the one that the order names. Null: no order. */
export function keptOrder(): { gb: number; pool: Pool | undefined } | null {
  const { path } = readKept()
  const url = typeof path === 'string' && pages.test(path) ? new URL(path, window.location.origin) : null
  if (url?.pathname !== '/purchase') return null
  const amount = url.searchParams.get('amount') ?? ''
  if (!/^[1-9]\d{0,7}$/.test(amount)) return null
  return { gb: Number(amount), pool: poolIn(url.searchParams) }
}

export interface EndedSession {
  /** The username or e-mail address of the user; null: neither is known. */
  name: string | null
  /** Typed text is stored, and will be restored. */
  hasTyped: boolean
}

/** The session that ended on this page, for the notice of the sign-in page; null: none. */
export function endedSession(): EndedSession | null {
  const { ended, typed: kept } = readKept()
  if (ended === undefined) return null
  const name = typeof ended.name === 'string' ? ended.name : null
  return { name, hasTyped: Array.isArray(kept) && kept.length > 0 }
}

/**
 * Returns the stored address if it is for any visitor or for the user who is signed in now; else the
 * account's page. Removes the address in any case. Restores the text that this user typed on the page.
 */
export function takeDestination(): string {
  const { path, user, typed: kept } = readKept()
  const me = session.get()?.user_id
  forget()
  if (typeof path !== 'string' || !pages.test(path) || (user != null && user !== me)) return home
  if (user != null && Array.isArray(kept) && kept.length > 0)
    void import('./typed-text.fill.ts').then(({ fillTypedText }) =>
      fillTypedText(kept as TypedField[], path.replace(/\?.*/, '')),
    )
  return path
}

function forget(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Without storage nothing was stored.
  }
}
