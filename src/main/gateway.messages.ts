/** What a gateway worker and the process that started it say to one another. */
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
  /** How long tunnels may end by themselves when the worker itself is asked to end. */
  drainMs: number
  logLevel: string
  /** How it reaches the feed; null: through the pipe it was started with. */
  feed: FeedDial | null
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
  | { type: 'stats'; stats: GatewayStats }
  | { type: 'bus'; message: WorkerMessage }

/** Each pool's entry port, a thousand apart, in the order of the pools, and the slot ports right behind each. */
export function poolPorts({ portBase, slots }: { portBase: number; slots: number }): WorkerOptions['ports'] {
  return pools.map((pool, index) => ({ pool, port: portBase + index * 1000, slots }))
}
