/**
 * The signed-in user: the profile and the token, stored in local storage under `user` and shared by all tabs.
 * The stored text is not trusted: an older version, an extension or the user may have written it.
 */
import { useSyncExternalStore } from 'react'
import type { Output } from '#contract/contract'
import type { LanguageCode } from '#contract/language'
import { type TeamRole, teamRoles } from '#contract/acting/roles'
import { pools } from '#contract/wire'
import { Listeners } from './listeners.ts'
import { readStored, removeStored, writeStored } from './storage.ts'

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

function replace(next: Session | null): void {
  current = next
  listeners.notify()
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
  clear(): void {
    removeStored(key)
    replace(null)
  },
  subscribe: listeners.subscribe,
}

// Signing in or out in one tab does the same in the others. On the server there is no window.
if (typeof window !== 'undefined') window.addEventListener('storage', follow)

function follow({ key: changed, newValue }: StorageEvent): void {
  if (changed !== key && changed !== null) return
  const stored = readSession(readStored(key))
  // Another tab signed out, and this tab's write of the profile came later: removes the revived session.
  // Another tab chose another account: this page shows data of the one before.
  if (stored !== null && stored.token === current?.token && stored.user_id !== current.user_id)
    return window.location.reload()
  const isRevived = newValue === null && stored !== null && stored.token === current?.token
  if (isRevived) removeStored(key)
  replace(isRevived ? null : stored)
}

export function useSession(): Session | null {
  return useSyncExternalStore(session.subscribe, session.get, () => null)
}
