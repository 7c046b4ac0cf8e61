/**
 * Where a visitor was going when a page asked them to sign in first: kept for this tab and half an hour, until they have. Nothing of it
 * is in the address, so no link can choose it. What a session left when it ended is for its user alone: another one who
 * signs in next arrives at their own account.
 */
import { session } from './session.ts'

const key = 'destination'
const keptMs = 30 * 60_000
const longest = 500
/** The pages that need an account. */
const pages = /^\/(?:account|purchase|promocode)(?:\?|$)/

const home = '/account'

/** Who was signed in last on this page. */
let last: number | null = session.get()?.user_id ?? null
session.subscribe(() => {
  last = session.get()?.user_id ?? last
})

type Place = Pick<Location, 'pathname' | 'search'>

function keep({ pathname, search }: Place, user: number | null): void {
  const path = pathname + search
  try {
    if (pages.test(path) && path.length <= longest)
      sessionStorage.setItem(key, JSON.stringify({ path, user, at: Date.now() }))
  } catch {
    // Without storage one arrives at the account, as ever.
  }
}

/** Keeps the address of a page that needs an account, for a visitor without one; of any other page, nothing. */
export const keepDestination = (place: Place): void => keep(place, null)

/** The same for the user whose session has just ended. */
export const keepLeftPlace = (place: Place): void => keep(place, last)

/** Forgets the address: one who signs out is not going anywhere. */
export function forgetDestination(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Nothing was kept.
  }
}

interface Kept {
  path?: unknown
  user?: unknown
  at?: unknown
}

/** The kept address, once, where it is for the user who is signed in now; the account's page otherwise. */
export function takeDestination(): string {
  try {
    const { path, user, at } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Kept
    sessionStorage.removeItem(key)
    const isFresh = typeof at === 'number' && Math.abs(Date.now() - at) <= keptMs
    const isTheirs = user == null || user === session.get()?.user_id
    return isFresh && isTheirs && typeof path === 'string' && pages.test(path) ? path : home
  } catch {
    return home
  }
}
