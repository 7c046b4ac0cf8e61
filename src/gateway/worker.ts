/** One worker: the parts of the data plane put together, its sockets, and what it does when the feed tells it something. */

import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { canonicalIp } from '#lib/ip'
import { Accounts } from './accounts.ts'
import { GuessingBrake } from './credentials.ts'
import { ignoreErrors } from './dial.ts'
import type { Engine, Limits, Visitor } from './engine.ts'
import { Entrances, type Entrance } from './entrances.ts'
import { Exits } from './exits.ts'
import type { FeedEvent } from './feed.ts'
import type { GatewayOptions, GatewayStats } from './gateway.ts'
import { Inlet } from './inlet.ts'
import { Journal } from './journal.ts'
import { Meter } from './meter.ts'
import { introduce, Reporter, type ReporterOptions } from './reporter.ts'
import { serveHttp } from './serve.http.ts'
import { serveSocks } from './serve.socks.ts'
import { Stored } from './stored.ts'
import { systemResolve } from './target.ts'
import { Tunnels, type Right } from './tunnels.ts'

const DEFAULT_LIMITS: Limits = {
  headBytes: 32 * 1024,
  silentMs: 10_000,
  headMs: 15_000,
  keepAliveMs: 60_000,
  answerMs: 60_000,
  idleMs: 10 * 60_000,
  leaseMs: 15_000,
  connectionsPerAccount: 2000,
}
const SWEEP_MS = 5000
const REPORT_PATIENCE_MS = 5000
const SOCKS5 = 5
const SOCKS4 = 4
const TLS = 0x16

export class Worker {
  readonly boot = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`
  readonly #options: GatewayOptions
  readonly #reporter: Reporter
  readonly #engine: Engine
  readonly #entrances: Entrances
  /** Whether a request is under way on it. */
  readonly #connections = new Map<Socket, { busy: boolean }>()
  #sweepTimer: NodeJS.Timeout | null = null
  #unsubscribe: () => void = () => undefined
  #stopped: Promise<void> | null = null
  #refused = 0
  readonly #onRefused: ReporterOptions['onRefused'] = ({ boot, sequence }, fault) => {
    const { gateway, log } = this.#options
    this.#refused++
    log.error({ err: fault, gateway, boot, sequence }, 'a report was refused for good and put aside')
  }

  constructor(options: GatewayOptions) {
    this.#options = options
    const { feed, log } = options
    const identity = { gateway: options.gateway, boot: this.boot }
    const onFault = (what: string, fault: unknown) =>
      log.warn({ err: fault, gateway: options.gateway }, `${what} failed`)
    const meter = new Meter({ feed, identity, onFault: (fault) => onFault('lease', fault) })
    const journal = new Journal({
      directory: options.journalDir,
      identity,
      onFault: (fault) => onFault('journal sync', fault),
    })
    const onRefused = this.#onRefused
    this.#reporter = new Reporter({ feed, identity, journal, meter, onFault, onRefused })
    this.#entrances = new Entrances({
      host: options.host,
      reusePort: options.reusePort,
      accept: (entrance, socket) => this.#accepted(entrance, socket),
      onFault: (entrance, fault) => log.error({ err: fault, ...entrance }, 'accepting failed'),
    })
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#engine = {
      accounts: new Accounts({ feed }),
      brake: new GuessingBrake(),
      counters: { bytesUp: 0, bytesDown: 0, connections: 0, refusals: {} },
      exits: new Exits({ feed, onFault: (fault) => onFault('exits', fault) }),
      limits,
      log,
      meter,
      reporter: this.#reporter,
      rules: {
        allow: options.allow,
        refusePorts: options.refusePorts ?? [25, 465, 587],
        resolve: options.resolve ?? systemResolve,
      },
      stored: new Stored({ feed }),
      tunnels: new Tunnels({ mostPerAccount: limits.connectionsPerAccount }),
      stopping: false,
    }
  }

  async start(): Promise<void> {
    const { feed, gateway, journalDir, log } = this.#options
    this.#unsubscribe = feed.subscribe((event) => this.#heard(event))
    await introduce({
      feed,
      identity: { gateway, boot: this.boot },
      directory: journalDir,
      givenUp: () => this.#engine.stopping,
      onFault: (what, fault) => log.warn({ err: fault, gateway }, `${what} failed`),
      onRefused: this.#onRefused,
    })
    await this.#engine.exits.refresh()
    this.#reporter.start()
    this.#sweepTimer = setInterval(() => this.#sweep(), SWEEP_MS)
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
    const { counters, meter, tunnels } = this.#engine
    return {
      tunnelsOpen: tunnels.open,
      tunnelsTotal: tunnels.opened,
      connectionsOpen: this.#connections.size,
      connectionsTotal: counters.connections,
      bytesUp: counters.bytesUp,
      bytesDown: counters.bytesDown,
      leasesOpen: meter.leases,
      reportsWaiting: this.#reporter.lag,
      reportsRefused: this.#refused,
      journalHealthy: this.#reporter.healthy,
      refusals: { ...counters.refusals },
    }
  }

  stop(options: { graceMs: number }): Promise<void> {
    this.#stopped ??= this.#stop(options.graceMs)
    return this.#stopped
  }

  async #stop(graceMs: number): Promise<void> {
    this.#engine.stopping = true
    this.#entrances.close()
    for (const [socket, { busy }] of this.#connections) if (!busy) socket.destroySoon()
    await this.#engine.tunnels.whenEmpty(graceMs)
    this.#engine.tunnels.stopAll()
    await this.#engine.tunnels.whenEmpty(1000)
    for (const socket of this.#connections.keys()) socket.destroySoon()
    this.#engine.exits.stop()
    if (this.#sweepTimer !== null) clearInterval(this.#sweepTimer)
    await this.#reporter.stop({ patienceMs: REPORT_PATIENCE_MS })
    for (const socket of this.#connections.keys()) socket.destroy()
    this.#unsubscribe()
  }

  #accepted({ pool, slot }: Entrance, socket: Socket): void {
    ignoreErrors(socket)
    const state = { busy: false }
    this.#connections.set(socket, state)
    this.#engine.counters.connections++
    socket.once('close', () => this.#connections.delete(socket))
    const address = canonicalIp((socket.remoteAddress ?? '').replace(/%.*$/, ''))
    if (address === null || this.#engine.stopping) {
      socket.destroy()
      return
    }
    this.#serve({ pool, address, slot }, socket, state).catch((fault: unknown) => {
      this.#options.log.error({ err: fault, pool }, 'a connection failed on a bug')
      socket.destroy()
    })
  }

  /** Which protocol it is, by the first byte. */
  async #serve(visitor: Visitor, socket: Socket, state: { busy: boolean }): Promise<void> {
    const inlet = new Inlet(socket)
    const first = await inlet.read(this.#engine.limits.silentMs).catch(() => null)
    if (first === null) {
      socket.destroy()
      return
    }
    inlet.unread(first)
    const kind = first[0]
    if (kind === SOCKS5) {
      state.busy = true
      await serveSocks(this.#engine, visitor, inlet)
    } else if (kind === SOCKS4) {
      // "Request rejected", in the words of its own protocol.
      socket.end(Buffer.from([0, 0x5b, 0, 0, 0, 0, 0, 0]), () => socket.destroySoon())
    } else if (kind === TLS) {
      socket.destroy()
    } else {
      await serveHttp(this.#engine, visitor, inlet, (busy) => (state.busy = busy))
    }
  }

  #sweep(): void {
    this.#engine.tunnels.stopIdle(performance.now() - this.#engine.limits.idleMs)
  }

  #heard(event: FeedEvent): void {
    const { accounts, exits, meter } = this.#engine
    if (event.type === 'lease_recalled') {
      meter.recall(event.account)
    } else if (event.type === 'exits_changed') {
      void exits.refresh()
    } else if (event.type === 'account_changed') {
      accounts.forget(event.login)
      this.#judgeTunnels(({ login }) => login === event.login)
    } else if (event.type === 'whitelist_changed') {
      accounts.forgetAddress(event)
      this.#judgeTunnels(({ pool, address }) => pool === event.pool && address === event.address)
    } else {
      accounts.forgetAll()
      void exits.refresh()
      this.#judgeTunnels(() => true)
    }
  }

  /** Looks up whom the rights of open tunnels belong to now, and cuts those that have lost theirs. */
  #judgeTunnels(where: (right: Right) => boolean): void {
    for (const right of this.#engine.tunnels.rights(where)) void this.#judge(right)
  }

  async #judge(right: Right): Promise<void> {
    const { accounts, log, tunnels } = this.#engine
    const { login, pool, address } = right
    try {
      const account =
        address === null ? await accounts.find(right) : await accounts.findByAddress({ pool, address })
      const cut = tunnels.judge(right, account)
      if (cut > 0) log.info({ login, pool, address, cut }, 'tunnels cut: the account changed')
    } catch (fault) {
      // The feed is away; a revoked right must not outlive that, so we ask until it answers.
      log.warn({ err: fault, pool }, 'account lookup failed')
      const open = tunnels.rights((other) => other.login === login && other.pool === pool).length > 0
      if (open && !this.#engine.stopping) setTimeout(() => void this.#judge(right), 500).unref()
    }
  }
}
