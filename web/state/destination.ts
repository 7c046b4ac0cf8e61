/**
 * Where a visitor was going when a page asked them to sign in first: kept for this tab and half an hour, until they have. Nothing of it
 * is in the address, so no link can choose it.
 */
const key = 'destination'
const keptMs = 30 * 60_000
const longest = 500
/** The pages that need an account. */
const pages = /^\/(?:account|purchase|promocode)(?:\?|$)/

const home = '/account'

/** Keeps the address of a page that needs an account; of any other, nothing. */
export function keepDestination({ pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  const path = pathname + search
  try {
    if (pages.test(path) && path.length <= longest)
      sessionStorage.setItem(key, JSON.stringify({ path, at: Date.now() }))
  } catch {
    // Without storage one arrives at the account, as ever.
  }
}

/** The kept address, once; the account's page where there is none. */
export function takeDestination(): string {
  try {
    const { path, at } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as { path?: unknown; at?: unknown }
    sessionStorage.removeItem(key)
    const isFresh = typeof at === 'number' && Math.abs(Date.now() - at) <= keptMs
    return isFresh && typeof path === 'string' && pages.test(path) ? path : home
  } catch {
    return home
  }
}
