/**
 * The data plane: listens, recognises the protocol, admits the client, chooses an exit, relays and meters.
 * One call of `startGateway` is one worker; any number of workers, in any number of processes, share ports
 * and balances.
 */

import { askTogether } from '#feed/together'
import type { GatewayOptions, GatewayStats } from './gateway.options.ts'
import type { PortRole } from './listeners.ts'
import { Metering } from './metering/metering.ts'
import type { BoundHandle } from './sockets/socket.factory.ts'
import type { OwnServer } from './targets/own.hosts.ts'
import { Worker } from './worker.ts'
import { withoutRepetitions } from './repeated.faults.ts'

export { tryExit, type ExitTrial } from './exits/trial.ts'
export type { GatewayOptions, GatewayStats, Limits } from './gateway.options.ts'
export { WorkerCoordinator } from './limits/coordinator.ts'
export type { CoordinatorMessage, WorkerBus, WorkerMessage } from './limits/worker.bus.ts'
export {
  type DeadLetter,
  dismissDeadLetter,
  listDeadLetters,
  listDismissedLetters,
  replayDeadLetters,
  reportId,
} from './metering/dead.letters.ts'
export { LATENCY_BOUNDS_MS } from './records/counters.ts'
export type { PassedConnection } from './sharing/messages.ts'
export { areRawSocketsUsable, bindSocket, type BoundHandle } from './sockets/socket.factory.ts'
export { CertificateFault, type CertificateFiles } from './sockets/tls.ts'
export { parseDeny } from './targets/deny.list.ts'
export { parseAllow, type AllowRule } from './targets/allow.list.ts'
export type { OwnServer } from './targets/own.hosts.ts'
export { NameResolver } from './targets/resolver.ts'
export type { Shop } from './targets/shop.ts'
export { parseAuthority } from './targets/target.ts'

export interface Gateway {
  boot: string
  /** The addresses it listens on, with the actual ports: the entry ports first, then the slots. */
  addresses: (PortRole & { host: string; port: number })[]
  stats(): GatewayStats
  /**
   * Accepts on the entry port of a pool that another process has bound (`bindSocket`), beside other workers.
   */
  accept(pool: string, bound: BoundHandle): Promise<void>
  /**
   * Stops accepting on the given entry ports. Open connections stay; connections that wait in the kernel are
   * accepted by other workers.
   */
  acceptNoMore(): void
  /** Replaces the servers behind the shop, which customers may not reach; see `ownServers` of the options. */
  setOwnServers(servers: readonly OwnServer[]): void
  /** The share of the last tenth of a second, from 0 to 1, in which this worker was busy. */
  busy(): number
  /** The connections of clients that are open. */
  openConnections(): number
  /**
   * Accepts no more connections, lets tunnels end for `graceMs`, cuts the rest, reports everything, returns
   * all leases.
   */
  stop(options: { graceMs: number }): Promise<void>
}

/**
 * Starts one worker. Resolves when it listens: reports that earlier boots of the same name left in their
 * journals are settled by then, and their leases returned. Throws when a port is taken.
 */
export async function startGateway(given: GatewayOptions): Promise<Gateway> {
  const options = { ...given, feed: askTogether(given.feed), log: withoutRepetitions(given.log) }
  const { feed, gateway, journalDir: directory, keepsGoing = false, idleLeaseMs, log } = options
  const metering = await Metering.open({ feed, gateway, directory, keepsGoing, idleLeaseMs, log })
  const worker = new Worker(options, metering)
  await worker.start()
  return {
    boot: metering.boot,
    addresses: worker.addresses(),
    stats: () => worker.stats(),
    accept: (pool, bound) => worker.accept(pool, bound),
    acceptNoMore: () => worker.acceptNoMore(),
    setOwnServers: (servers) => worker.setOwnServers(servers),
    busy: () => worker.busy,
    openConnections: () => worker.openConnections,
    stop: (how) => worker.stop(how),
  }
}
