/** The messages between a gateway worker and the process that started it. */
import type { ConnectionLog } from '#feed/connection.record'
import { type Pool, pools } from '#contract/wire'
import type { FeedDial } from '#feed/dial'
import type { CertificateFiles, CoordinatorMessage, GatewayStats, OwnServer, WorkerMessage } from '#gateway'
import type { User } from '#lib/unprivileged'

export interface WorkerOptions {
  /** Stable over restarts: names the journal and the leases. */
  gateway: string
  journalDir: string
  /** The user that the worker changes to after entering the journal's folder; null: it keeps its user. */
  user: User | null
  ports: { pool: Pool; port: number; slots: number }[]
  host: string
  /** Whether it accepts on entry ports only when it is given them. */
  areEntriesGiven: boolean
  allow: string[]
  /** The targets that the operator denies, one per item. */
  deny: string[]
  /** The servers behind the shop, which customers may not reach unless an exception names them. */
  ownServers: OwnServer[]
  /** host:port of the shop; null: it is not known. */
  shop: string | null
  /** Paths relative to the journal's folder when the worker changes its user. */
  certificates: CertificateFiles[]
  /** The number of workers on this machine, including this one: they share limits. */
  workers: number
  /** After how long without traffic an exit is checked; null: never. */
  probeAfterMs: number | null
  /** The bytes forgiven to one account per hour, when an exit does not report whose failure it was. */
  forgivenBytesPerHour: number
  connectionLog: ConnectionLog
  /** How long a worker that is asked to end waits for its tunnels to end. */
  drainMs: number
  logLevel: string
  /** The servers of its feed, the preferred first; none: the feed uses the pipe it was started with. */
  feeds: FeedDial[]
}

/** The messages of a worker. */
export interface WorkerStats extends GatewayStats {
  feed: FeedFigures
}

/** The state of the servers of FEED_URL in a worker. */
export interface FeedFigures {
  /** As written in FEED_URL; empty: the worker has a pipe to its server. */
  servers: string[]
  /** The index of the one that serves; null: none. */
  current: number | null
  /** The number of changes from one server to another. */
  switches: number
}

export type ToWorker =
  | { type: 'start'; options: WorkerOptions }
  /** A second message with a shorter time shortens the wait. */
  | { type: 'stop'; graceMs: number }
  /** The servers behind the shop have changed. */
  | { type: 'own_servers'; servers: OwnServer[] }
  | { type: 'bus'; message: CoordinatorMessage }
  /** Comes with the bound socket of this pool's entry port, on which the worker is to accept. */
  | { type: 'accept'; pool: Pool }
  /** The worker is to leave the entry ports to other workers. */
  | { type: 'accept_no_more' }

/** The load of a worker, as shares from 0 to 1. */
export interface WorkerUse {
  /** The share of its time in which it is busy. */
  busy: number
  /** The share of the files that its process may open. */
  files: number
}

export type FromWorker =
  | { type: 'listening' }
  /** It cannot start, for a reason that the operator can correct. */
  | { type: 'refused'; sentence: string }
  | { type: 'stats'; stats: WorkerStats }
  | { type: 'bus'; message: WorkerMessage }
  /** It accepts on the entry port of this pool. */
  | { type: 'accepting'; pool: Pool }
  /** Sent four times a second where workers are given entry ports. */
  | { type: 'use'; use: WorkerUse }
  /** It ends, and accepts no more connections. */
  | { type: 'leaving' }

/**
 * The entry ports, one per pool in the order of the pools and a thousand apart, each followed by its slot
 * ports.
 */
export function poolPorts({ portBase, slots }: { portBase: number; slots: number }): WorkerOptions['ports'] {
  return pools.map((pool, index) => ({ pool, port: portBase + index * 1000, slots }))
}
