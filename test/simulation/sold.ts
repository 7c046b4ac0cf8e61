/** Proxy users as a simulation knows them, and what is known of the logins that they share. */
import type { UserKey } from '#proxy-users'
import type { Person } from './model.ts'

/**
 * What the pools of one login have in common. Null: unknown, because acts on it were concurrent, or the answer
 * of one was lost.
 */
export interface Common {
  login: string | null
  password: string | null
  isFrozen: boolean | null
  /** Acts that were started, and those that are not over. */
  started: number
  running: number
}

export const newCommon = (): Common => ({
  login: null,
  password: null,
  isFrozen: false,
  started: 0,
  running: 0,
})

export interface SoldUser {
  person: Person
  pool: string
  label: string
  isReserved: boolean
  /** At first. */
  bytes: bigint
  /** `clearing`: a call that deletes many names it. */
  state: 'unanswered' | 'refused' | 'made' | 'deleting' | 'clearing' | 'deleted'
  key: UserKey | null
  id: bigint
  common: Common
  /** What the customer chooses in place of a random login and password. */
  chosen: { login?: string; password?: string }
  /** The proxy user of another pool that it is made from; null: it is made with a login of its own. */
  source: SoldUser | null
}

/**
 * Runs an act on logins, and returns whether no other one was concurrent: only then does its answer show
 * their state.
 */
export async function alone<T>(
  commons: readonly Common[],
  act: () => Promise<T>,
): Promise<{ end: T; isAlone: (common: Common) => boolean }> {
  const all = [...new Set(commons)]
  const before = new Map(all.map((one) => [one, one.running === 0 ? ++one.started : (one.started++, -1)]))
  for (const one of all) one.running++
  try {
    const end = await act()
    return { end, isAlone: (common) => before.get(common) === common.started }
  } finally {
    for (const one of all) one.running--
  }
}
