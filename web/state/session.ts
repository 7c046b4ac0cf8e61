/**
 * The signed-in user: the profile and the token, stored in local storage under `user` and shared by all tabs.
 * The stored text is not trusted: an older version, an extension or the user may have written it.
 */
import { useSyncExternalStore } from 'react'
import type { Output } from '#contract/contract'
import type { LanguageCode } from '#contract/language'
import { type TeamRole, teamRoles } from '#contract/acting/roles'
import { pools } from '#contract/wire'
import { clearCache } from './cache.ts'
import { Listeners } from './listeners.ts'
import { isUsed, readStored, removeStored, writeStored } from './storage.ts'

export type Profile = Output<'legacy_profile'>[number]
/** How a member of a team acts on the account that the session shows. */
export interface Acting {
  role: TeamRole
  /** The number and the name of the person's own account. */
  own: string
  name: string | null
}

export type Session = Profile & { token: string; acting?: Acting }

const key = 'user'
const emptyPool = { balance: 0, balance_format: '0 GB', password: null }

const defaults = {
  created_at: '',
  updated_at: '',
  reg_date: '',
  lang: 'rus',
  invited_by: null,
  pers_percent: '0',
  username: null,
  email: null,
  password: null,
  role_id: 1,
  confirmed: false,
  tgcode: null,
  tgcode_expires: null,
  ref_balance_usd: 0,
} as const

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The session in a stored text, missing fields set to their defaults; null when the text holds no session.
 */
export function readSession(text: string | null): Session | null {
  if (text === null) return null
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(stored) || typeof stored['token'] !== 'string' || stored['token'] === '') return null
  if (typeof stored['user_id'] !== 'number') return null
  const known = Object.fromEntries(
    Object.entries(defaults).map(([name, fallback]) => [name, fieldOr(stored[name], fallback)]),
  )
  const balances = pools.map((pool) => {
    const value = stored[pool]
    return [pool, isRecord(value) && 'balance' in value ? { ...emptyPool, ...value } : emptyPool]
  })
  // Every field of Session is set by now, to a value of its type.
  return {
    ...known,
    ...Object.fromEntries(balances),
    user_id: stored['user_id'],
    token: stored['token'],
    ...actingIn(stored['acting']),
  } as Session
}

function actingIn(stored: unknown): { acting?: Acting } {
  if (!isRecord(stored) || typeof stored['own'] !== 'string') return {}
  const role = teamRoles.find((each) => each === stored['role'])
  const name = typeof stored['name'] === 'string' ? stored['name'] : null
  return role === undefined ? {} : { acting: { role, own: stored['own'], name } }
}

/**
 * A stored value of the same type as its default, else the default; a null default stands for an optional
 * text.
 */
function fieldOr(value: unknown, fallback: string | number | boolean | null): unknown {
  if (fallback === null) return typeof value === 'string' || typeof value === 'number' ? value : null
  return typeof value === typeof fallback ? value : fallback
}

const listeners = new Listeners()
let current: Session | null = readSession(readStored(key))
/** The last session of this page: what it has read may still be in memory after the session has ended. */
let last = current

function replace(next: Session | null): void {
  current = next
  last = next ?? last
  listeners.notify()
}

/** The person whose session it is; it shows another account while they act on that of a team. */
const personOf = ({ user_id, acting }: Session): string => acting?.own ?? String(user_id)

/**
 * Shows the stored session, which another tab may have changed. A page that has shown another account, or
 * another person's session, is loaded anew: nothing of it may reach the next one.
 */
function adopt(stored: Session | null): void {
  const isOther =
    stored !== null &&
    last !== null &&
    (stored.user_id !== last.user_id || personOf(stored) !== personOf(last))
  if (isOther) return window.location.reload()
  replace(stored)
  if (stored === null) clearCache()
}

/**
 * Stores the changed session only where it is still the stored one: an answer that arrives after another tab
 * signed out, or chose another account, must not undo that.
 */
function change(next: Session): void {
  const stored = readSession(readStored(key))
  if (stored?.token === next.token && stored.user_id === next.user_id) writeStored(key, JSON.stringify(next))
  replace(next)
}

export const session = {
  get: (): Session | null => current,
  /** Signs the user in, or replaces the stored profile. */
  set(user: Session): void {
    writeStored(key, JSON.stringify(user))
    replace(user)
  },
  /** Replaces the profile of the signed-in user and keeps the token. Does nothing when signed out. */
  update(profile: Profile): void {
    if (current === null || profile.user_id !== current.user_id) return
    const { token, acting } = current
    change({ ...profile, token, ...(acting === undefined ? {} : { acting }) })
  },
  /** Changes the language of the signed-in user and nothing else. */
  setLanguage(lang: LanguageCode): void {
    if (current !== null) change({ ...current, lang })
  },
  /** Notes that the role by which the shown account is acted on has changed. */
  setRole(role: TeamRole): void {
    if (current?.acting !== undefined) change({ ...current, acting: { ...current.acting, role } })
  },
  /** Signs out: ends the session of this page, and no other that another tab has begun since. */
  clear: (): void => void end(current?.token ?? null),
  end,
  subscribe: listeners.subscribe,
}

/**
 * Ends the session with this token, if it is the page's own or the stored one. Returns false where a session
 * remains: the page shows the stored one from now on, unless it has moved to another one already.
 */
function end(token: string | null): boolean {
  const stored = readSession(readStored(key))
  const next = stored?.token === token ? null : stored
  if (next === null && current !== null && current.token !== token) return false
  if (next === null) removeStored(key)
  adopt(next)
  return next === null
}

// Signing in or out in one tab does the same in the others. On the server there is no window.
if (typeof window !== 'undefined') {
  window.addEventListener('storage', follow)
  // A page in the back/forward cache is not told of changes.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) adopt(readSession(readStored(key)))
  })
}

function follow({ key: changed, newValue, storageArea }: StorageEvent): void {
  if ((changed !== key && changed !== null) || !isUsed(storageArea)) return
  const stored = readSession(readStored(key))
  // Another tab signed out, and this tab's write of the profile came later: removes the revived session.
  const isRevived = newValue === null && stored !== null && stored.token === current?.token
  if (isRevived) removeStored(key)
  adopt(isRevived ? null : stored)
}

export function useSession(): Session | null {
  return useSyncExternalStore(session.subscribe, session.get, () => null)
}
