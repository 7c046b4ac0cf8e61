/**
 * Who is signed in: the profile with its token, kept in local storage under `user` and shared by all tabs.
 * What is stored comes from outside (older versions, other programs, a curious hand) and is read with suspicion.
 */
import { useSyncExternalStore } from 'react'
import type { Output } from '#contract/contract'
import { pools } from '#contract/wire'
import { readStored, removeStored, writeStored } from './storage.ts'

export type Profile = Output<'legacy_profile'>[number]
export type Session = Profile & { token: string }
export type LanguageCode = Session['lang']

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

/** The session in a stored text, missing fields filled with their defaults; null when it is none. */
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
    const kept = stored[pool]
    return [pool, isRecord(kept) && 'balance' in kept ? { ...emptyPool, ...kept } : emptyPool]
  })
  // Every field of Session is now there with its type or its default.
  return {
    ...known,
    ...Object.fromEntries(balances),
    user_id: stored['user_id'],
    token: stored['token'],
  } as Session
}

/** A stored value where its type agrees with the default's; a null default stands for text that may be missing. */
function fieldOr(value: unknown, fallback: string | number | boolean | null): unknown {
  if (fallback === null) return typeof value === 'string' || typeof value === 'number' ? value : null
  return typeof value === typeof fallback ? value : fallback
}

type Listener = () => void
const listeners = new Set<Listener>()
let current: Session | null = readSession(readStored(key))

function become(next: Session | null): void {
  current = next
  for (const listener of listeners) listener()
}

export const session = {
  get: (): Session | null => current,
  /** Signs in, or replaces the profile after it was read again. */
  set(user: Session): void {
    writeStored(key, JSON.stringify(user))
    become(user)
  },
  /** Takes a freshly read profile for the signed-in user; the token stays. Nothing happens when signed out. */
  update(profile: Profile): void {
    if (current !== null) session.set({ ...profile, token: current.token })
  },
  /** Changes the language of the signed-in user and nothing else. */
  setLanguage(lang: LanguageCode): void {
    if (current !== null) session.set({ ...current, lang })
  },
  clear(): void {
    removeStored(key)
    become(null)
  },
  subscribe(listener: Listener): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

// Signing in or out in one tab does the same in the others. Where pages are only written there is no window.
if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) become(readSession(readStored(key)))
  })
}

export function useSession(): Session | null {
  return useSyncExternalStore(session.subscribe, session.get, () => null)
}
