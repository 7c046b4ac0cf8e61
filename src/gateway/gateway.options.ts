/** What a gateway worker is started with, and what it tells of itself. */

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
  /** A connection that sends nothing at first. */
  silentMs: number
  /** A TLS or SOCKS handshake, from its first byte to its end. */
  handshakeMs: number
  /** A head that is not complete. */
  headMs: number
  /** A kept connection without a next request. */
  keepAliveMs: number
  /** A target that does not begin to respond. */
  answerMs: number
  /** A tunnel or body without a byte in either direction. */
  idleMs: number
  /** How long a new connection waits for its first bytes to be leased. */
  leaseMs: number
  /** All exits that are tried for one connection, together. */
  exitsMs: number
  /** One of them, while others are left to try. */
  exitMs: number
  /** This and the following limits are shared by all workers of the machine. */
  connectionsPerAccount: number
  /** Of one client address; an IPv6 network of 64 bits is one. */
  connectionsPerAddress: number
  /** Of these, connections that have not been authenticated. */
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
  /** Stable name of this worker, by which its journals are found again; no two running workers may share it. */
  gateway: string
  journalDir: string
  feed: Feed
  /** One entry port per pool, followed by its slot ports. */
  ports: PoolPorts[]
  host: string
  /** Several processes may listen on the same ports; the kernel distributes connections over them. */
  reusePort: boolean
  /** Exceptions from the refusal of private targets and of the operator's own. */
  allow: readonly AllowRule[]
  /** Target ports that no customer may reach. Default: mail (25, 465, 587). */
  refusePorts?: readonly number[]
  /** What the operator refuses besides. Default: nothing. */
  deny?: DenyList
  /** The servers behind the shop: forbidden as targets, as exits and this machine are. Default: none. */
  ownServers?: readonly OwnServer[]
  /** The shop: an exception, for one path. Default: there is none. */
  shop?: Shop
  /** Makes every port accept TLS as well. The first certificate is for clients that ask for no name or an unknown one. */
  certificates?: readonly CertificateFiles[]
  /** The other workers of this machine: limits hold for all of them together. Default: there are none. */
  bus?: WorkerBus | null
  /** An exit is checked after so long without a connection; null: never. Default: 30 s. */
  probeAfterMs?: number | null
  /**
   * Goes on while the server is away, with what it knows and has leased, even after a restart. Default: it waits for the
   * server.
   */
  keepsGoing?: boolean
  /** A lease that its account has not used for so long is given back. Default: a minute. */
  idleLeaseMs?: number
  /**
   * How many payload bytes are forgiven to one account in an hour, where an exit does not tell whose failure it was. Default:
   * 10 MB.
   */
  forgivenBytesPerHour?: number
  limits?: Partial<Limits>
  /** The kind of all sockets. Default: by a trial at the start. */
  socketKind?: SocketKind
  log: Log
  /** Looks up all names of this worker, which closes it. Default: a new one. */
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
  /** Reports that are not settled yet. */
  reportsWaiting: number
  /** Reports that became dead letters, in `<gateway>.refused`: their bytes are not charged. */
  reportsRefused: number
  /** Records of requests that were sent, and requests of which none was kept. */
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
  /** The exits as this worker has seen them. */
  exits: (ExitHealth & { id: string; pool: string; warm: WarmFigures })[]
}
