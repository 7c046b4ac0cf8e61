/**
 * The messages by which the workers of a machine report their load to one another, through the process that
 * started them (`shared.loads.ts`).
 */

/**
 * An accepted connection of which nothing was read. Every process that got it has a descriptor of its own to
 * close.
 */
export interface PassedConnection {
  close(): void
}

/** The port that a connection was accepted on. */
export interface AcceptedOn {
  pool: string
  slot: number | null
}

/** From a worker. */
export type LoadMessage =
  /** Null: it takes no connections of others. `accepts`: it accepts connections at present. */
  | { kind: 'load'; load: number | null; accepts: boolean }
  /** Sent with a connection for the worker `to`; `load` is the sender's. */
  | { kind: 'connection'; id: number; to: number; on: AcceptedOn; load: number }
  /** The answer to `connection_passed`; `load` is the receiver's, with the connection. */
  | { kind: 'connection_answered'; id: number; from: number; isTaken: boolean; load: number | null }

/** To a worker. */
export type LoadNotice =
  /** The load of another worker; null: it takes no connections, or has ended. */
  | { kind: 'load_of'; worker: number; load: number | null; accepts: boolean }
  /** Comes with a connection. */
  | { kind: 'connection_passed'; id: number; from: number; on: AcceptedOn }
  /** The outcome of the handover with this id. */
  | { kind: 'connection_answered'; id: number; isTaken: boolean }
