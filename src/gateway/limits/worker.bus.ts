/**
 * Messages between the workers of one machine, through the process that started them (`coordinator.ts`):
 * failed logins, connections of exits with a limit, counts close to a limit, and loads, with the connections
 * that are handed to a worker with less. Nothing else is sent, so most connections cost no message.
 */

import type { LoadMessage, LoadNotice, PassedConnection } from '../sharing/messages.ts'

/**
 * Counted over all workers: connections of an account, of a client address, and those of an address that have
 * not been authenticated.
 */
export const countedKinds = ['accounts', 'addresses', 'unauthenticated'] as const
export type CountedKind = (typeof countedKinds)[number]

export type Counts = [key: string, count: number][]

/** From a worker. */
export type WorkerMessage =
  | { kind: 'login_failed'; network: string }
  /** These credentials were right, from this network, a short while ago. */
  | { kind: 'logins_verified'; network: string; keys: string[] }
  /**
   * The number of an exit's connections it has or needs; `most` is the exit's limit. Answered with
   * `exit_permits_granted`.
   */
  | { kind: 'exit_permits'; request: number; exit: string; most: number; want: number }
  /** The sender's count of each key. */
  | { kind: 'counts'; counted: CountedKind; counts: Counts }
  | LoadMessage

/** To a worker. */
export type CoordinatorMessage =
  /** This network has to wait: the failed logins on all workers together reached the limit. */
  | { kind: 'throttled'; network: string; leftMs: number }
  /** Reported by another worker. */
  | { kind: 'logins_verified'; network: string; keys: string[] }
  | { kind: 'exit_permits_granted'; request: number; exit: string; granted: number }
  /** Another worker needs connections of this exit: the receiver reports immediately how many it uses. */
  | { kind: 'exit_permits_recalled'; exit: string }
  /** The counts of all other workers together. */
  | { kind: 'totals'; counted: CountedKind; counts: Counts }
  | LoadNotice

/** A worker's end of the bus. */
export interface WorkerBus {
  /** The number of workers, including this one. */
  readonly workers: number
  /** Whether connections go with messages: only between processes, each of which then has a descriptor. */
  readonly passesConnections: boolean
  /** Only one kind of message has a connection; the sender keeps its own descriptor of it. */
  send(message: WorkerMessage, connection?: PassedConnection): void
  /** The listener stays until the process ends. */
  subscribe(listener: (message: CoordinatorMessage, connection?: PassedConnection) => void): void
}
