/**
 * The data plane: listens, recognises the protocol, authenticates, chooses an exit, relays, meters. One call to
 * `startGateway` is one worker; any number of workers, in as many processes, share ports and balances.
 */

import type { CertificateFiles } from './sockets/certificates.ts'
import type { Limits, GatewayLog } from './engine.ts'
import type { PoolCount } from './records/counters.ts'
import type { ExitHealth } from './exits/health.ts'
import type { DenyList } from './targets/deny.list.ts'
import type { Entrance, EntrancePort } from './listeners.ts'
import type { Feed } from '#feed'
import { resume } from './metering/resume.ts'
import type { Road } from './sockets/socket.factory.ts'
import type { Siblings } from './limits/coordinator.ts'
import { Snapshot } from './metering/offline.state.ts'
import type { AllowRule, Resolve } from './targets/target.ts'
import { Worker } from './worker.ts'

export { tryExit, type ExitTrial } from './exits/trial.ts'
export { type Aside, listAside, replayAside } from './metering/dead.letters.ts'
export { LATENCY_BOUNDS_MS } from './records/counters.ts'
export { CertificateFault, type CertificateFiles } from './sockets/certificates.ts'
export { parseAllow, type AllowRule } from './targets/target.ts'
export { parseDeny } from './targets/deny.list.ts'
export { Family, type FamilyWord, type Siblings, type WorkerWord } from './limits/coordinator.ts'
export type { GatewayLog, Limits } from './engine.ts'

export interface GatewayOptions {
  /** Stable name of this worker; no two live ones may share it, for its journals are found again by it. */
  gateway: string
  journalDir: string
  feed: Feed
  /** One entry port per pool, with as many slot ports behind it; 0 takes any free one for each. */
  ports: EntrancePort[]
  host: string
  /** Several processes may listen on the same ports; the kernel spreads connections over them. */
  reusePort: boolean
  /** Exceptions from the refusal of private targets. */
  allow: readonly AllowRule[]
  /** Target ports that nobody may reach. Default: mail (25, 465, 587). */
  refusePorts?: readonly number[]
  /** What the operator lets nobody reach besides. Default: nothing. */
  deny?: DenyList
  /** TLS on every port, when there are any: the first one is for clients that ask for no name or an unknown one. */
  certificates?: readonly CertificateFiles[]
  /** The other workers of this machine: limits and the brake on guessing hold for all together. Default: none. */
  siblings?: Siblings | null
  /** After how long without a word of it an exit is checked; null: exits are never checked. Default: 30 s. */
  probeAfterMs?: number | null
  /**
   * The server may be away while this gateway is not: it goes on with what it knows and has leased, even when it is
   * started again meanwhile. Default: it waits for the server.
   */
  keepsGoing?: boolean
  limits?: Partial<Limits>
  /** Which sockets are used, whatever the trial at the start would say. */
  road?: Road
  log: GatewayLog
  /** Default: the system's resolver. */
  resolve?: Resolve
}

export interface GatewayStats {
  tunnelsOpen: number
  tunnelsTotal: number
  connectionsOpen: number
  connectionsTotal: number
  bytesUp: number
  bytesDown: number
  leasesOpen: number
  /** Reports made and not settled yet. */
  reportsWaiting: number
  /** Reports the server will never settle, put aside in `<gateway>.refused`; their bytes are charged to nobody. */
  reportsRefused: number
  /** Records of requests that were sent, and of which none was kept. */
  recordsKept: number
  recordsDropped: number
  /** Leased and not spent, charged bytes. */
  leasedBytes: number
  /** False while the disk takes no reports. */
  journalHealthy: boolean
  /** By code. */
  refusals: Record<string, number>
  /** By pool: what was relayed, how it ended, and how long it took. */
  pools: Record<string, PoolCount>
  /** The exits as this worker has seen them. */
  exits: (ExitHealth & { id: string; pool: string })[]
}

export interface Gateway {
  boot: string
  /** Where it listens, with the real ports: the entry ports first, then the slots. */
  addresses: (Entrance & { host: string; port: number })[]
  stats(): GatewayStats
  /** Stops accepting, lets tunnels end for `graceMs`, cuts the rest, reports everything, gives all leases back. */
  stop(options: { graceMs: number }): Promise<void>
}

/**
 * Starts one worker. Resolves when it listens: what earlier boots of the same name left in their journals is settled
 * by then, and their leases are given back. Throws when a port is taken.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { feed, gateway, journalDir: directory, keepsGoing = false } = options
  const snapshot = new Snapshot({ directory, gateway })
  const resumed = keepsGoing ? await resume({ feed, gateway, directory, snapshot }) : null
  const worker = new Worker(options, { snapshot, resumed })
  await worker.start()
  return {
    boot: worker.boot,
    addresses: worker.addresses(),
    stats: () => worker.stats(),
    stop: (how) => worker.stop(how),
  }
}
