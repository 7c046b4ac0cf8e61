/** One worker: creates the stages, and starts and stops them in their order. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Admission } from './admission/admission.ts'
import { ClientConnections } from './client.connections.ts'
import { Exits } from './exits/exits.ts'
import { PoolLookupNeeds } from './exits/lookup.needs.ts'
import { logFailures, Probes } from './exits/probes.ts'
import { FeedEvents } from './feed.events.ts'
import { defaultLimits, type GatewayOptions, type GatewayStats, type Limits } from './gateway.options.ts'
import { AccountLimiter } from './limits/account.limiter.ts'
import { ConnectionLimiter } from './limits/connection.limiter.ts'
import type { WorkerBus } from './limits/worker.bus.ts'
import { Listeners } from './listeners.ts'
import { Forgiveness } from './metering/forgiveness.ts'
import type { KnownData, Metering } from './metering/metering.ts'
import { Counters } from './records/counters.ts'
import { Records } from './records/records.ts'
import type { GatewayClient, Session } from './session.ts'
import { SessionReports } from './session.reports.ts'
import { Sessions } from './sessions.ts'
import { BusyShare } from './sharing/busy.share.ts'
import { BULK_LOAD, LoadSharing } from './sharing/load.sharing.ts'
import {
  type AcceptedHandle,
  type BoundHandle,
  chooseSocketKind,
  socketOf,
  socketsInBulk,
} from './sockets/socket.factory.ts'
import { Certificates } from './sockets/tls.ts'
import { TargetOpener } from './target.opener.ts'
import { OwnHosts, type OwnServer } from './targets/own.hosts.ts'
import { NameResolver } from './targets/resolver.ts'
import type { TargetRules } from './targets/rules.ts'

const SWEEP_MS = 5000
/** While the gateway stops: the interval of checks whether connections without a session have opened one. */
const DRAIN_LOOK_MS = 20
const LAST_RESPONSES_MS = 1000
const LAST_CUTS_MS = 1000

const MAIL_PORTS = [25, 465, 587]

/** The targets that customers may reach, and those that the operator's own health checks may reach. */
function rulesOf(
  { allow, refusePorts = MAIL_PORTS, deny, shop }: GatewayOptions,
  names: NameResolver,
): TargetRules {
  return { allow, refusePorts, deny, shop, names }
}

function connectionLimiter(limits: Limits, bus: WorkerBus | null): ConnectionLimiter {
  const { connectionsPerAddress: most, unauthenticatedPerAddress: mostUnauthenticated } = limits
  return new ConnectionLimiter({ most, mostUnauthenticated, bus })
}

function listenersFor(
  connections: Pick<ClientConnections, 'accept'>,
  sharing: LoadSharing,
  { host, reusePort, areEntriesGiven = false, log }: GatewayOptions,
): Listeners {
  return new Listeners({
    host,
    reusePort,
    areEntriesGiven,
    accept: (role, socket) => {
      connections.accept(role, socket)
      sharing.kept()
    },
    handOver: (role, handle) => sharing.handOver(role, handle),
    onFault: (role, error) => log.error({ err: error, ...role }, 'accepting failed'),
  })
}

export class Worker {
  readonly #options: GatewayOptions
  readonly #limits: Limits
  readonly #metering: Metering
  readonly #names: NameResolver
  readonly #own: OwnHosts
  readonly #exits: Exits
  readonly #probes: Probes
  readonly #limiter: AccountLimiter
  readonly #sessions: Sessions
  readonly #admission: Admission<GatewayClient, Session>
  readonly #counters = new Counters()
  readonly #records: Records
  /** Null: TLS is not accepted. */
  readonly #certificates: Certificates | null
  readonly #connections: ClientConnections
  readonly #sharing: LoadSharing
  readonly #busy = new BusyShare()
  readonly #listeners: Listeners
  readonly #events: FeedEvents
  readonly #known = (): KnownData => ({ ...this.#admission.known(), exits: [...this.#exits.all] })
  #sweepTimer: NodeJS.Timeout | null = null
  #unsubscribe: () => void = () => undefined
  #stopped: Promise<void> | null = null

  constructor(options: GatewayOptions, metering: Metering) {
    this.#options = options
    this.#metering = metering
    const { feed, log, bus = null, certificates = [] } = options
    const limits = { ...defaultLimits, ...options.limits }
    this.#limits = limits
    const onFault = (what: string, error: unknown) =>
      log.warn({ err: error, gateway: options.gateway }, `${what} failed`)

    this.#names = options.names ?? new NameResolver()
    this.#own = new OwnHosts({ names: this.#names, servers: options.ownServers ?? [] })
    const rules = rulesOf(options, this.#names)
    const exits = new Exits({
      feed,
      names: this.#names,
      bus,
      onFault: (error) => onFault('exits', error),
      onReplaced: (all) => this.#own.setExits(all),
    })
    this.#exits = exits
    this.#probes = new Probes({ exits, rules, afterMs: options.probeAfterMs, onFailure: logFailures(log) })

    const limiter = new AccountLimiter({
      feed,
      identity: metering.identity,
      most: limits.connectionsPerAccount,
      open: (access) => metering.holders(access),
      bus,
      onFault: (error) => onFault('permits', error),
    })
    this.#limiter = limiter
    const sessions = new Sessions(limiter, metering, new Forgiveness(options.forgivenBytesPerHour))
    this.#sessions = sessions
    this.#records = new Records({
      feed,
      ...metering.identity,
      onFault: (error) => onFault('records', error),
    })
    const admission = new Admission<GatewayClient, Session>({
      feed,
      exits,
      limiter,
      bus,
      log,
      onFault,
      open: (admitted, client, trace) => sessions.open(admitted, client, trace),
    })
    this.#admission = admission
    const { gateway, connectionLog } = options
    const told = { feed, gateway, connectionLog, log }
    this.#events = new FeedEvents({ admission, exits, limiter, metering, sessions, ...told })

    this.#certificates = certificates.length === 0 ? null : new Certificates(certificates, log)
    this.#connections = new ClientConnections({
      stages: {
        admission,
        sessions,
        targets: this.#targetOpener(rules),
        reports: new SessionReports(this.#counters, this.#records, log, options.connectionLog),
        limits,
      },
      limiter: connectionLimiter(limits, bus),
      counters: this.#counters,
      certificates: this.#certificates,
      log,
    })
    this.#sharing = this.#loadSharing(bus)
    this.#listeners = listenersFor(this.#connections, this.#sharing, options)
  }

  #targetOpener(rules: TargetRules): TargetOpener {
    return new TargetOpener({
      exits: this.#exits,
      needs: new PoolLookupNeeds(this.#exits, this.#own),
      probes: this.#probes,
      rules: { ...rules, own: this.#own },
      limits: this.#limits,
      log: this.#options.log,
    })
  }

  #loadSharing(bus: WorkerBus | null): LoadSharing {
    return new LoadSharing({
      bus: bus?.passesConnections === true ? bus : null,
      load: () => this.#connections.size + BULK_LOAD * socketsInBulk(),
      accepts: () => this.#listeners.acceptOnEntries,
      serve: (on, connection) => {
        if (this.#sessions.isClosing) return false
        // The handle is one that `handOver` of another worker passed: all workers run the same program.
        this.#connections.accept(on, socketOf(connection as AcceptedHandle))
        return true
      },
    })
  }

  async start(): Promise<void> {
    const { feed, gateway, log } = this.#options
    this.#unsubscribe = feed.subscribe((event) => this.#events.apply(event))
    const announced = this.#metering.announce(() => this.#sessions.isDraining)
    const known = this.#metering.resumedData
    if (known === null) {
      await announced
      await this.#exits.refresh()
    } else {
      log.warn({ gateway }, 'the server is away: serving what was leased')
      this.#admission.restore(known)
      this.#exits.restore(known.exits)
      void this.#exits.refresh()
      // Until then, tunnels are opened by rights that were saved, and nothing that changed meanwhile was announced.
      void announced.then(() => {
        if (!this.#sessions.isDraining) this.#events.apply({ type: 'reset' })
      })
    }
    await this.#own.start()
    const kind = await chooseSocketKind(this.#options.socketKind)
    if (kind === 'stream') log.warn({ gateway }, 'this Node.js has no raw sockets; relaying costs more CPU')
    this.#probes.start()
    this.#busy.start()
    this.#records.start()
    this.#metering.start(this.#known, {
      tunnels: () => this.#sessions.size,
      answers: this.#exits.answers,
      places: this.#exits.places,
    })
    this.#sweepTimer = setInterval(() => this.#stopIdle(), SWEEP_MS)
    this.#certificates?.watch()
    try {
      await this.#listeners.open(this.#options.ports)
    } catch (error) {
      await this.stop({ graceMs: 0 })
      throw error
    }
    // A worker without raw sockets hands nothing over, and has nothing to make a socket of a handle.
    if (kind === 'raw') this.#sharing.start()
  }

  /** Accepts on the entry port of a pool, which another process has bound. */
  accept(pool: string, bound: BoundHandle): Promise<void> {
    return this.#listeners.adopt({ pool, slot: null }, bound)
  }

  /** Stops accepting on entry ports; other workers continue. */
  acceptNoMore(): void {
    this.#listeners.release()
  }

  setOwnServers(servers: readonly OwnServer[]): void {
    this.#own.setServers(servers)
  }

  get busy(): number {
    return this.#busy.share
  }

  get openConnections(): number {
    return this.#connections.size
  }

  addresses(): ReturnType<Listeners['addresses']> {
    return this.#listeners.addresses()
  }

  stats(): GatewayStats {
    return {
      tunnelsOpen: this.#sessions.size,
      tunnelsTotal: this.#sessions.opened,
      connectionsOpen: this.#connections.size,
      connectionsTotal: this.#counters.connections,
      bytesUp: this.#counters.bytesUp,
      bytesDown: this.#counters.bytesDown,
      ...this.#metering.stats(),
      recordsKept: this.#records.kept,
      recordsDropped: this.#records.dropped,
      refusals: { ...this.#counters.refusals },
      pools: this.#counters.pools(),
      names: this.#names.figures(),
      exits: this.#exits.all.map(({ id, pool }) => ({
        id: String(id),
        pool,
        ...this.#exits.health.of(id),
        warm: this.#exits.warm.figures(id),
      })),
    }
  }

  /** A second call with `graceMs` 0 cuts open sessions. */
  stop({ graceMs }: { graceMs: number }): Promise<void> {
    if (this.#stopped !== null && graceMs === 0) {
      this.#sessions.isClosing = true
      this.#sessions.stopAll()
    }
    this.#stopped ??= this.#stop(graceMs)
    return this.#stopped
  }

  /**
   * Stops accepting, and serves open connections to their end. Another gateway may already listen on these
   * ports, so that clients notice no restart.
   */
  async #drain(graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs
    const leftMs = () => Math.max(0, deadline - performance.now())
    this.#sessions.isDraining = true
    this.#listeners.close()
    this.#sharing.stop()
    this.#exits.warm.stop()
    this.#connections.closeKept()
    void this.#metering.drain()
    while (leftMs() > 0 && !this.#sessions.isClosing) {
      await this.#sessions.whenEmpty(leftMs())
      if (!this.#connections.isAwaited && this.#sharing.pending === 0) break
      await sleep(Math.min(DRAIN_LOOK_MS, leftMs()))
    }
    this.#sessions.isClosing = true
  }

  async #stop(graceMs: number): Promise<void> {
    await this.#drain(graceMs)
    // Clients refused because of the stop still get their response.
    if (this.#sessions.size === 0) await this.#connections.whenIdle(Math.min(graceMs, LAST_RESPONSES_MS))
    this.#sessions.stopAll()
    await this.#sessions.whenEmpty(LAST_CUTS_MS)
    this.#connections.closeAll()
    await this.#limiter.close()
    this.#exits.stop()
    this.#own.stop()
    this.#probes.stop()
    this.#busy.stop()
    this.#certificates?.stop()
    if (this.#sweepTimer !== null) clearInterval(this.#sweepTimer)
    await this.#admission.stop({ isAway: this.#metering.isOffline })
    await this.#metering.stop(this.#known)
    await this.#records.stop({ isAway: this.#metering.isOffline })
    this.#connections.destroyAll()
    this.#names.close()
    this.#unsubscribe()
  }

  #stopIdle(): void {
    this.#sessions.stopIdle(performance.now() - this.#limits.idleMs)
  }
}
