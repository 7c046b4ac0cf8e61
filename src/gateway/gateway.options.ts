/** The options that a gateway worker is started with, and its status. */

import type { ConnectionLog } from '#feed/connection.record'
import type { Feed } from '#feed'
import type { Log } from '#lib/log'
import type { ExitHealth, WarmFigures } from './exits/exits.ts'
import type { WorkerBus } from './limits/worker.bus.ts'
import type { PoolPorts } from './listeners.ts'
import type { PoolCount } from './records/counters.ts'
import type { SocketKind } from './sockets/socket.factory.ts'
import type { CertificateFiles } from './sockets/tls.ts'
import type { DenyList } from './targets/deny.list.ts'
import type { AllowRule } from './targets/allow.list.ts'
import type { NameResolver } from './targets/resolver.ts'
import type { OwnServer } from './targets/own.hosts.ts'
import type { Shop } from './targets/shop.ts'

export interface Limits {
  headBytes: number
  /** The longest time that a connection may stay without a first byte. */
  silentMs: number
  /** The longest time of a TLS or SOCKS handshake, from its first byte to its end. */
  handshakeMs: number
  /** The longest time that a head may be incomplete. */
  headMs: number
  /** The longest time that a kept connection waits for its next request. */
  keepAliveMs: number
  /** The longest wait for a target's response. */
  answerMs: number
  /** The longest time of a tunnel or body without a byte in either direction. */
  idleMs: number
  /** The time for which a new connection waits until its first bytes are leased. */
  leaseMs: number
  /** The time limit for all exits that are tried for one connection, together. */
  exitsMs: number
  /** The time limit for one exit while other exits remain to be tried. */
  exitMs: number
  /** This and the following limits are shared by all workers of the machine. */
  connectionsPerAccount: number
  /** The most connections of one client address; an IPv6 network of 64 bits counts as one address. */
  connectionsPerAddress: number
  /** The most of these connections that have not been authenticated. */
  unauthenticatedPerAddress: number
}

export const defaultLimits: Readonly<Limits> = {
  headBytes: 32 * 1024,
  silentMs: 10_000,
  handshakeMs: 10_000,
  headMs: 15_000,
  keepAliveMs: 60_000,
  answerMs: 60_000,
  idleMs: 10 * 60_000,
  leaseMs: 15_000,
  exitsMs: 30_000,
  exitMs: 10_000,
  connectionsPerAccount: 5000,
  connectionsPerAddress: 20_000,
  unauthenticatedPerAddress: 2000,
}

export interface GatewayOptions {
  /**
   * Stable name of this worker, by which its journals are found again; no two running workers may share it.
   */
  gateway: string
  journalDir: string
  feed: Feed
  /** The ports of each pool: one entry port, followed by the slot ports. */
  ports: PoolPorts[]
  host: string
  /** Several processes may listen on the same ports; the kernel distributes connections over them. */
  reusePort: boolean
  /**
   * The entry ports are bound by the process that starts the workers, and this one accepts on them when it is
   * given them (`Gateway.accept`). Default: it listens on its own from the start.
   */
  areEntriesGiven?: boolean
  /** Exceptions from the refusal of private targets and of the operator's own. */
  allow: readonly AllowRule[]
  /** Target ports that no customer may reach. Default: mail (25, 465, 587). */
  refusePorts?: readonly number[]
  /** The operator's list of further forbidden targets. Default: empty. */
  deny?: DenyList
  /** The servers behind the shop: forbidden as targets, like exits and this machine. Default: none. */
  ownServers?: readonly OwnServer[]
  /** The shop: an exception, for one path. Default: there is none. */
  shop?: Shop
  /**
   * Makes every port accept TLS as well. The first certificate is for clients without SNI or with an unknown
   * name.
   */
  certificates?: readonly CertificateFiles[]
  /** The other workers of this machine: limits hold for all of them together. Default: there are none. */
  bus?: WorkerBus | null
  /** An exit is checked after this time without a connection; null: never. Default: 30 s. */
  probeAfterMs?: number | null
  /**
   * Starts while the server is unreachable, with the data and leases of the run before. Default: a start
   * waits for the server.
   */
  keepsGoing?: boolean
  /** A lease that its account has not used for so long is given back. Default: a minute. */
  idleLeaseMs?: number
  /**
   * The payload bytes per hour that are forgiven to one account where an exit does not report whether it or
   * the target failed. Default: 10 MB.
   */
  forgivenBytesPerHour?: number
  /** Which addresses of a connection a line of the log contains. Default: full. */
  connectionLog?: ConnectionLog
  limits?: Partial<Limits>
  /** The kind of all sockets. Default: by a trial at the start. */
  socketKind?: SocketKind
  log: Log
  /** Looks up all names of this worker, which closes the resolver at its end. Default: a new one. */
  names?: NameResolver
}

export interface GatewayStats {
  tunnelsOpen: number
  tunnelsTotal: number
  connectionsOpen: number
  connectionsTotal: number
  bytesUp: number
  bytesDown: number
  leasesOpen: number
  /** Reports not yet settled. */
  reportsWaiting: number
  /** Reports that became dead letters, in `<gateway>.refused`: their bytes are not charged. */
  reportsRefused: number
  /** Records of requests that were sent, and requests without a record. */
  recordsKept: number
  recordsDropped: number
  /** Leased and not spent, charged bytes. */
  leasedBytes: number
  /** False while the journal cannot be written. */
  journalHealthy: boolean
  /** By code. */
  refusals: Record<string, number>
  /** By pool: what was relayed, how it ended, and how long it took. */
  pools: Record<string, PoolCount>
  names: ReturnType<NameResolver['figures']>
  /** The exits as observed by this worker. */
  exits: (ExitHealth & { id: string; pool: string; warm: WarmFigures })[]
}
