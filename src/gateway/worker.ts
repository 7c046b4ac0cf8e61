/** One worker: the parts of the data plane put together, its sockets, and what it does when the feed tells it something. */

import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { canonicalIp } from '#lib/ip'
import { Accounts } from './admission/accounts.ts'
import { Certificates } from './sockets/certificates.ts'
import { admissionOf, rulesOf } from './parts.ts'
import { PoolCounters } from './records/counters.ts'
import { GuessingBrake } from './admission/login.throttle.ts'
import { Crowd } from './limits/connection.limiter.ts'
import { ignoreErrors } from './exits/dial.ts'
import { defaultLimits, type Engine, type Visitor } from './engine.ts'
import { Entrances, type Entrance } from './listeners.ts'
import { Probes, sayIn } from './exits/probes.ts'
import { Exits } from './exits/exits.ts'
import type { GatewayOptions, GatewayStats } from './gateway.ts'
import { Inlet } from './sockets/reader.ts'
import { Journal } from './metering/journal.ts'
import { Keeper, restore } from './metering/offline.saver.ts'
import { remembered } from '#lib/memo'
import { Meter } from './metering/meter.ts'
import { Places } from './admission/places.ts'
import { Records } from './records/records.ts'
import { hear } from './feed.events.ts'
import { introduce } from './metering/replay.ts'
import { Reporter, type ReporterOptions } from './metering/reporter.ts'
import type { Resumed } from './metering/resume.ts'
import { chooseRoad } from './sockets/socket.factory.ts'
import { SameTime } from './admission/refusal.delay.ts'
import { secure } from './sockets/tls.ts'
import { type Member, Roster } from './sockets/swap.list.ts'
import { serveHttp } from './http.connection.ts'
import { serveSocks } from './socks5.tunnel.ts'
import type { Snapshot } from './metering/offline.state.ts'
import { statsOf } from './stats.ts'
import { Stored } from './admission/stored.targetings.ts'

const SWEEP_MS = 5000
const REPORT_PATIENCE_MS = 5000
const LAST_ANSWERS_MS = 1000
const SOCKS5 = 5
const SOCKS4 = 4
const TLS = 0x16

/** The address as it is compared; null when it is none. */
const addressOf = remembered(20_000, (text) => canonicalIp(text.replace(/%.*$/, '')))

/** One client's connection. */
interface Connection extends Member {
  /** The outermost layer: what is written to it goes out whole. */
  socket: Socket
  /** Whether a request is under way on it. */
  busy: boolean
}

export class Worker {
  readonly boot: string
  readonly #options: GatewayOptions
  readonly #kept: { snapshot: Snapshot; resumed: Resumed | null }
  readonly #keeper: Keeper | null
  readonly #reporter: Reporter
  readonly #engine: Engine
  readonly #probes: Probes
  readonly #entrances: Entrances
  /** Null: nobody is spoken TLS with. */
  readonly #certificates: Certificates | null
  readonly #connections = new Roster<Connection>()
  readonly #crowd: Crowd
  #sweepTimer: NodeJS.Timeout | null = null
  #unsubscribe: () => void = () => undefined
  #stopped: Promise<void> | null = null
  #refused = 0
  readonly #onRefused: ReporterOptions['onRefused'] = ({ boot, sequence }, fault) => {
    const { gateway, log } = this.#options
    this.#refused++
    log.error(
      { err: fault, gateway, boot, sequence },
      'a report that is not settled was put aside: see turnpike reports',
    )
  }

  constructor(options: GatewayOptions, kept: { snapshot: Snapshot; resumed: Resumed | null }) {
    this.#options = options
    this.#kept = kept
    const { resumed } = kept
    this.boot = resumed?.boot ?? `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`
    const { feed, log, keepsGoing = false } = options
    const identity = { gateway: options.gateway, boot: this.boot }
    const onFault = (what: string, fault: unknown) =>
      log.warn({ err: fault, gateway: options.gateway }, `${what} failed`)
    const away = keepsGoing ? { isAway: () => this.#reporter.isAway, kept: resumed?.leases ?? [] } : {}
    const meter = new Meter({ feed, identity, onFault: (fault) => onFault('lease', fault), ...away })
    const keeper = new Keeper({ ...kept, boot: this.boot, onFault: (fault) => onFault('snapshot', fault) })
    this.#keeper = keepsGoing ? keeper : null
    const journal = new Journal({
      directory: options.journalDir,
      identity,
      onFault: (fault) => onFault('journal sync', fault),
    })
    this.#reporter = new Reporter({
      feed,
      identity,
      journal,
      meter,
      onFault,
      onRefused: this.#onRefused,
      keeper: this.#keeper,
      resumed,
    })
    const { certificates = [] } = options
    this.#certificates = certificates.length === 0 ? null : new Certificates(certificates, log)
    this.#entrances = new Entrances({
      host: options.host,
      reusePort: options.reusePort,
      accept: (entrance, socket) => this.#accepted(entrance, socket),
      onFault: (entrance, fault) => log.error({ err: fault, ...entrance }, 'accepting failed'),
    })
    const limits = { ...defaultLimits, ...options.limits }
    const { siblings = null } = options
    const rules = rulesOf(options)
    const exits = new Exits({ feed, siblings, onFault: (fault) => onFault('exits', fault) })
    const onFailure = sayIn(log)
    this.#probes = new Probes({ exits, rules, afterMs: options.probeAfterMs, onFailure })
    const { connectionsPerAddress: most, strangersPerAddress: mostStrangers } = limits
    this.#crowd = new Crowd({ most, mostStrangers, siblings })
    const { permits, tunnels } = admissionOf({ feed, identity, meter, limits, siblings, onFault })
    this.#engine = {
      accounts: new Accounts({ feed, keepsGoing }),
      brake: new GuessingBrake({ siblings }),
      counters: { bytesUp: 0, bytesDown: 0, connections: 0, refusals: {}, pools: new PoolCounters() },
      exits,
      limits,
      log,
      meter,
      places: new Places({ feed, exits, onFault: (fault) => onFault('places', fault) }),
      records: new Records({ feed, onFault: (fault) => onFault('records', fault) }),
      reporter: this.#reporter,
      probes: this.#probes,
      rules,
      sameTime: new SameTime(),
      stored: new Stored({ feed }),
      permits,
      tunnels,
      stopping: false,
    }
  }

  async start(): Promise<void> {
    const { feed, gateway, journalDir, log } = this.#options
    this.#unsubscribe = feed.subscribe((event) => hear(this.#engine, event))
    const { snapshot, resumed } = this.#kept
    // Before anything else: once the server has heard of this boot, no later one may go on with older leases.
    if (resumed === null) snapshot.dropLeases()
    const introduced = introduce({
      feed,
      identity: { gateway, boot: this.boot },
      directory: journalDir,
      givenUp: () => this.#engine.stopping,
      onFault: (what, fault) => log.warn({ err: fault, gateway }, `${what} failed`),
      onRefused: this.#onRefused,
    })
    if (resumed === null) {
      await introduced
      await this.#engine.exits.refresh()
    } else {
      log.warn({ gateway }, 'the server is away: serving what was leased')
      restore(this.#engine, resumed.known)
    }
    const road = await chooseRoad(this.#options.road)
    if (road === 'stream') log.warn({ gateway }, 'this Node.js has no raw sockets; relaying costs more CPU')
    this.#reporter.start()
    this.#probes.start()
    this.#engine.records.start()
    this.#keeper?.start(this.#engine)
    this.#sweepTimer = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#certificates?.watch()
    try {
      await this.#entrances.open(this.#options.ports)
    } catch (fault) {
      await this.stop({ graceMs: 0 })
      throw fault
    }
  }

  addresses(): ReturnType<Entrances['addresses']> {
    return this.#entrances.addresses()
  }

  stats(): GatewayStats {
    return statsOf(this.#engine, { connections: this.#connections.size, refusedReports: this.#refused })
  }

  stop({ graceMs }: { graceMs: number }): Promise<void> {
    if (this.#stopped !== null && graceMs === 0) this.#engine.tunnels.stopAll()
    this.#stopped ??= this.#stop(graceMs)
    return this.#stopped
  }

  async #stop(graceMs: number): Promise<void> {
    this.#engine.stopping = true
    this.#entrances.close()
    for (const { socket, busy } of this.#connections.all()) if (!busy) socket.destroySoon()
    await this.#engine.tunnels.whenEmpty(graceMs)
    if (this.#engine.tunnels.open === 0) await this.#whenAnswered(Math.min(graceMs, LAST_ANSWERS_MS))
    this.#engine.tunnels.stopAll()
    await this.#engine.tunnels.whenEmpty(1000)
    for (const { socket } of this.#connections.all()) socket.destroySoon()
    await this.#engine.permits.close()
    this.#engine.exits.stop()
    this.#probes.stop()
    this.#certificates?.stop()
    if (this.#sweepTimer !== null) clearInterval(this.#sweepTimer)
    await this.#reporter.stop({ patienceMs: REPORT_PATIENCE_MS })
    this.#keeper?.stop(this.#engine)
    await this.#engine.records.stop({ isAway: this.#keeper !== null && this.#reporter.isAway })
    for (const { socket } of this.#connections.all()) socket.destroy()
    this.#unsubscribe()
  }

  /** Who has asked and is not let in any more hears so; resolves when everybody has, or after so long. */
  async #whenAnswered(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs
    const isUnderWay = () => this.#connections.all().some(({ busy }) => busy)
    while (performance.now() < deadline && isUnderWay()) await new Promise((next) => setTimeout(next, 10))
  }

  #accepted({ pool, slot }: Entrance, socket: Socket): void {
    ignoreErrors(socket)
    const address = addressOf(socket.remoteAddress ?? '')
    if (address === null || this.#engine.stopping) {
      socket.destroy()
      return
    }
    const guest = this.#crowd.enter(address)
    if (guest === null) {
      const { refusals } = this.#engine.counters
      refusals['too_many_from_address'] = (refusals['too_many_from_address'] ?? 0) + 1
      socket.destroy()
      return
    }
    const connection: Connection = { socket, busy: false, place: -1 }
    this.#connections.add(connection)
    this.#engine.counters.connections++
    // It comes once; who listens once only is a listener more to take away.
    socket.on('close', () => {
      this.#connections.remove(connection)
      guest.left()
    })
    this.#serve({ pool, address, slot, guest }, new Inlet(socket), connection).catch((fault: unknown) => {
      this.#options.log.error({ err: fault, pool }, 'a connection failed on a bug')
      socket.destroy()
    })
  }

  /** Which protocol it is, by the first byte. */
  async #serve(visitor: Visitor, inlet: Inlet, connection: Connection): Promise<void> {
    const { socket } = inlet
    const first = await inlet.read(this.#engine.limits.silentMs).catch(() => null)
    if (first === null) {
      socket.destroy()
      return
    }
    inlet.unread(first)
    const kind = first[0]
    if (kind === SOCKS5) {
      connection.busy = true
      await serveSocks(this.#engine, visitor, inlet)
    } else if (kind === SOCKS4) {
      // "Request rejected", in the words of its own protocol.
      socket.end(Buffer.from([0, 0x5b, 0, 0, 0, 0, 0, 0]), () => socket.destroySoon())
    } else if (kind === TLS) {
      const inside = await this.#unwrap(inlet)
      if (inside === null) return
      connection.socket = inside.socket
      await this.#serve(visitor, inside, connection)
    } else {
      await serveHttp(this.#engine, visitor, inlet, (busy) => (connection.busy = busy))
    }
  }

  /** What is inside of TLS; null when the connection has ended. TLS inside of TLS is nothing we speak. */
  async #unwrap(inlet: Inlet): Promise<Inlet | null> {
    if (this.#certificates === null || inlet.socket instanceof TLSSocket) {
      inlet.socket.destroy()
      return null
    }
    const tls = await secure(inlet, this.#certificates, this.#engine.limits.handshakeMs)
    return tls === null ? null : new Inlet(tls)
  }

  #sweep(): void {
    this.#engine.tunnels.stopIdle(performance.now() - this.#engine.limits.idleMs)
  }
}
