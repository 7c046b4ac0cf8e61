/**
 * The signed-in user: the profile and the token, stored in local storage under `user` and shared by all tabs.
 * The stored text is not trusted: an older version, an extension or the user may have written it.
 */
import { useSyncExternalStore } from 'react'
import type { Output } from '#contract/contract'
import type { LanguageCode } from '#contract/language'
import { pools } from '#contract/wire'
import { Listeners } from './listeners.ts'
import { readStored, removeStored, writeStored } from './storage.ts'

export type Profile = Output<'legacy_profile'>[number]
export type Session = Profile & { token: string }

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
  } as Session
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
 * signed out must not sign this browser in again.
 */
function change(next: Session): void {
  if (readSession(readStored(key))?.token === next.token) writeStored(key, JSON.stringify(next))
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
    if (current !== null) change({ ...profile, token: current.token })
  },
  /** Changes the language of the signed-in user and nothing else. */
  setLanguage(lang: LanguageCode): void {
    if (current !== null) change({ ...current, lang })
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
  const isRevived = newValue === null && stored !== null && stored.token === current?.token
  if (isRevived) removeStored(key)
  replace(isRevived ? null : stored)
}

export function useSession(): Session | null {
  return useSyncExternalStore(session.subscribe, session.get, () => null)
}
