/** What a gateway worker and the process that started it say to one another. */
import type { ConnectionLog } from '#feed/connection.record'
import { type Pool, pools } from '#contract/wire'
import type { FeedDial } from '#feed/dial'
import type { CertificateFiles, CoordinatorMessage, GatewayStats, OwnServer, WorkerMessage } from '#gateway'
import type { User } from '#lib/unprivileged'

export interface WorkerOptions {
  /** Stable over restarts: names the journal and the leases. */
  gateway: string
  journalDir: string
  /** Whom the worker becomes once it stands in the journal's folder; null: nobody else. */
  user: User | null
  ports: { pool: Pool; port: number; slots: number }[]
  host: string
  allow: string[]
  /** What the operator lets nobody reach, part by part. */
  deny: string[]
  /** The servers behind the shop, which nobody may reach either. */
  ownServers: OwnServer[]
  /** host:port of the shop; null: it is not known. */
  shop: string | null
  /** Seen from the journal's folder where the worker becomes another user. */
  certificates: CertificateFiles[]
  /** How many there are on this machine, this one with them: they share limits. */
  workers: number
  /** After how long without a word of it an exit is checked; null: never. */
  probeAfterMs: number | null
  /** What is forgiven to one account in an hour, where an exit does not tell whose failure it was. */
  forgivenBytesPerHour: number
  connectionLog: ConnectionLog
  /** How long tunnels may end by themselves when the worker itself is asked to end. */
  drainMs: number
  logLevel: string
  /** The servers that it reaches the feed at, the preferred first; none: through the pipe it was started with. */
  feeds: FeedDial[]
}

/** What a worker tells of itself. */
export interface WorkerStats extends GatewayStats {
  feed: FeedFigures
}

/** The servers of FEED_URL as a worker has seen them. */
export interface FeedFigures {
  /** As FEED_URL spells them; none: the worker has a pipe to its server. */
  servers: string[]
  /** The one that serves, by its place; null: none. */
  current: number | null
  /** How often another one served than before. */
  switches: number
}

export type ToWorker =
  | { type: 'start'; options: WorkerOptions }
  /** Said again, with less patience, it cuts short. */
  | { type: 'stop'; graceMs: number }
  | { type: 'bus'; message: CoordinatorMessage }

export type FromWorker =
  | { type: 'listening' }
  /** It cannot start, for a reason the operator can mend. */
  | { type: 'refused'; sentence: string }
  | { type: 'stats'; stats: WorkerStats }
  | { type: 'bus'; message: WorkerMessage }

/** Each pool's entry port, a thousand apart, in the order of the pools, and the slot ports right behind each. */
export function poolPorts({ portBase, slots }: { portBase: number; slots: number }): WorkerOptions['ports'] {
  return pools.map((pool, index) => ({ pool, port: portBase + index * 1000, slots }))
}
