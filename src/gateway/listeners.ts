/** The ports that clients connect to: per pool one entry port, and after it a slot port for every line without a password. */

import type { AddressInfo, Server } from 'node:net'
import { type AcceptedHandle, createSocketServer } from './sockets/socket.factory.ts'
import type { AnySocket } from './sockets/source.ts'

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
  accept: (role: PortRole, socket: AnySocket) => void
  /** Whether another worker gets this connection. */
  handOver: (role: PortRole, handle: AcceptedHandle) => boolean
  onFault: (role: PortRole, fault: Error) => void
}

export class Listeners {
  readonly #options: ListenersOptions
  readonly #open: { role: PortRole; server: Server }[] = []

  constructor(options: ListenersOptions) {
    this.#options = options
  }

  /** Resolves when all ports listen. Rejects when one is taken; those that do listen stay open until `close`. */
  async open(ports: readonly PoolPorts[]): Promise<void> {
    for (const { pool, port } of ports) await this.#listen({ pool, slot: null }, port)
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

  /** Accepts no further connections; open ones stay. */
  close(): void {
    for (const { server } of this.#open) server.close()
  }

  async #listen(role: PortRole, port: number): Promise<void> {
    const { host, reusePort, accept, handOver, onFault } = this.#options
    const { server, onListening } = createSocketServer(
      (socket) => accept(role, socket),
      (handle) => handOver(role, handle),
    )
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, reusePort, backlog: 4096 }, () => {
        server.off('error', reject)
        onListening()
        resolve()
      })
    })
    server.on('error', (error) => onFault(role, error))
    this.#open.push({ role, server })
  }
}
