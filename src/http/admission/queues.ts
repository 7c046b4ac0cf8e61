/** The sizes of the queues in which heavy work of one web server waits. */
import { availableParallelism } from 'node:os'
import type { Queue } from '#contract/call'

/**
 * Work that keeps a core or the database busy for longer than light calls may wait. For each kind: how much
 * one web server does at once, how much may wait, and whether turns are shared by accounts or by networks
 * (for calls without a token). There are two hashes per core: while one is computed, the other waits for the
 * database (`accounts/password.ts`).
 */
export const queues = {
  passwords: { atOnce: 2 * availableParallelism(), waiting: 40, turnOf: 'network' },
  lines: { atOnce: 2, waiting: 20, turnOf: 'account' },
  places: { atOnce: 4, waiting: 100, turnOf: 'network' },
  statistics: { atOnce: 4, waiting: 100, turnOf: 'account' },
  lists: { atOnce: 2, waiting: 40, turnOf: 'account' },
} as const satisfies Record<Queue, { atOnce: number; waiting: number; turnOf: 'network' | 'account' }>
