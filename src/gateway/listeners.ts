/**
 * The ports that clients connect to: per pool one entry port, and after it a slot port for every line without
 * a password.
 */

import type { AddressInfo, Server } from 'node:net'
import { type AcceptedHandle, type BoundHandle, createSocketServer } from './sockets/socket.factory.ts'
import type { AnySocket } from './sockets/source.ts'

/** Connections that the kernel completes before they are accepted. */
const BACKLOG = 4096

/** The ports of one pool. */
export interface PoolPorts {
  pool: string
  /** The entry port; its slots follow it. 0: any free port for each. */
  port: number
  slots?: number
}

/** The purpose of a port. */
export interface PortRole {
  pool: string
  /** Null: the entry port. */
  slot: number | null
}

export interface ListenersOptions {
  host: string
  /** Several processes may listen on the same ports; the kernel distributes connections over them. */
  reusePort: boolean
  /** The entry ports are bound by another process, which gives and takes them (`adopt`, `release`). */
  areEntriesGiven: boolean
  accept: (role: PortRole, socket: AnySocket) => void
  /** Whether another worker gets this connection. */
  handOver: (role: PortRole, handle: AcceptedHandle) => boolean
  onFault: (role: PortRole, fault: Error) => void
}

export class Listeners {
  readonly #options: ListenersOptions
  readonly #open: { role: PortRole; server: Server }[] = []
  /** The roles of the sockets that were adopted and not released. */
  readonly #given = new Set<PortRole>()

  constructor(options: ListenersOptions) {
    this.#options = options
  }

  /**
   * Resolves when all ports listen. Rejects when one is taken; those that do listen stay open until `close`.
   */
  async open(ports: readonly PoolPorts[]): Promise<void> {
    const own = this.#options.areEntriesGiven ? [] : ports
    for (const { pool, port } of own) await this.#listen({ pool, slot: null }, port)
    for (const { pool, port, slots = 0 } of ports) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: slots }, (_, index) =>
          this.#listen({ pool, slot: index + 1 }, port === 0 ? 0 : port + index + 1),
        ),
      )
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    }
  }

  addresses(): (PortRole & { host: string; port: number })[] {
    return this.#open
      .map(({ role, server }) => {
        const { address, port } = server.address() as AddressInfo
        return { ...role, host: address, port }
      })
      .toSorted((a, b) => (a.slot ?? 0) - (b.slot ?? 0))
  }

  /** Accepts on a socket that another process has bound; resolves when it listens. */
  async adopt(role: PortRole, bound: BoundHandle): Promise<void> {
    await this.#serve(role, (server, listening) => server.listen(bound, BACKLOG, listening))
    this.#given.add(role)
  }

  /** Accepts no more on the sockets that were adopted; other processes may. */
  release(): void {
    for (const one of this.#open.filter(({ role }) => this.#given.has(role))) {
      one.server.close()
      this.#open.splice(this.#open.indexOf(one), 1)
    }
    this.#given.clear()
  }

  /** Whether it accepts on entry ports at present: on its own ones, or on given ones. */
  get acceptOnEntries(): boolean {
    return !this.#options.areEntriesGiven || this.#given.size > 0
  }

  /** Accepts no further connections; open ones stay. */
  close(): void {
    for (const { server } of this.#open) server.close()
  }

  async #listen(role: PortRole, port: number): Promise<void> {
    const { host, reusePort } = this.#options
    await this.#serve(role, (server, listening) =>
      server.listen({ host, port, reusePort, backlog: BACKLOG }, listening),
    )
  }

  async #serve(role: PortRole, listen: (server: Server, listening: () => void) => void): Promise<void> {
    const { accept, handOver, onFault } = this.#options
    const { server, onListening } = createSocketServer(
      (socket) => accept(role, socket),
      (handle) => handOver(role, handle),
    )
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      listen(server, () => {
        server.off('error', reject)
        onListening()
        resolve()
      })
    })
    server.on('error', (error) => onFault(role, error))
    this.#open.push({ role, server })
  }
}
