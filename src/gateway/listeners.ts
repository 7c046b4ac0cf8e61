/** The ports that clients come to: per pool one entry port, and behind it a slot port for every line without a password. */

import type { AddressInfo, Server, Socket } from 'node:net'
import { makeServer } from './sockets/socket.factory.ts'

export interface EntrancePort {
  pool: string
  /** The entry port; its slots follow it. 0 takes any free one for each. */
  port: number
  slots?: number
}

/** What somebody came in by. */
export interface Entrance {
  pool: string
  /** Null: the entry port. */
  slot: number | null
}

export interface EntranceOptions {
  host: string
  /** Several processes may listen on the same ports; the kernel spreads connections over them. */
  reusePort: boolean
  accept: (entrance: Entrance, socket: Socket) => void
  onFault: (entrance: Entrance, fault: Error) => void
}

export class Entrances {
  readonly #options: EntranceOptions
  readonly #open: { entrance: Entrance; server: Server }[] = []

  constructor(options: EntranceOptions) {
    this.#options = options
  }

  /** Resolves when all of them listen. Rejects when a port is taken; those that do listen stay until `close`. */
  async open(ports: readonly EntrancePort[]): Promise<void> {
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

  addresses(): (Entrance & { host: string; port: number })[] {
    return this.#open
      .map(({ entrance, server }) => {
        const { address, port } = server.address() as AddressInfo
        return { ...entrance, host: address, port }
      })
      .toSorted((a, b) => (a.slot ?? 0) - (b.slot ?? 0))
  }

  /** Nobody comes in any more; who is inside stays. */
  close(): void {
    for (const { server } of this.#open) server.close()
  }

  async #listen(entrance: Entrance, port: number): Promise<void> {
    const { host, reusePort, accept, onFault } = this.#options
    const { server, listens } = makeServer((socket) => accept(entrance, socket))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, reusePort, backlog: 4096 }, () => {
        server.off('error', reject)
        listens()
        resolve()
      })
    })
    server.on('error', (fault) => onFault(entrance, fault))
    this.#open.push({ entrance, server })
  }
}
