/**
 * The connections of clients: accepted, counted for their address, and served by the protocol of their first
 * byte.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { canonicalIp, withoutZone } from '#lib/ip'
import type { Log } from '#lib/log'
import { memoized } from '#lib/memo'
import { SwapList, type SwapListItem } from '#lib/swap-list'
import { serveHttp } from './http.connection.ts'
import type { ConnectionLimiter } from './limits/connection.limiter.ts'
import type { PortRole } from './listeners.ts'
import type { Counters } from './records/counters.ts'
import type { GatewayClient } from './session.ts'
import { SocketReader } from './sockets/reader.ts'
import { peerOf } from './sockets/socket.factory.ts'
import { type AnySocket, ignoreErrors } from './sockets/source.ts'
import { acceptTls, type Certificates } from './sockets/tls.ts'
import { serveSocks5 } from './socks5.tunnel.ts'
import type { Stages } from './stages.ts'

const LOOK_MS = 10
const SOCKS5 = 5
const SOCKS4 = 4
const TLS = 0x16
/** "Request rejected" in SOCKS4, which is not supported. */
const SOCKS4_REJECTED = [0, 0x5b, 0, 0, 0, 0, 0, 0]

/** The address in canonical form; null when it is none. */
const canonicalAddress = memoized(20_000, (text) => canonicalIp(withoutZone(text)))

interface ClientConnection extends SwapListItem {
  /** The outermost layer: written data is sent before it is closed. */
  socket: AnySocket
  /** Whether a request is under way. */
  isBusy: boolean
  /** Whether no request has begun yet: the client opened the connection to send one. */
  isFresh: boolean
}

export interface ClientConnectionsOptions {
  stages: Stages
  limiter: ConnectionLimiter
  counters: Counters
  /** Null: TLS is not accepted. */
  certificates: Certificates | null
  log: Log
}

export class ClientConnections {
  readonly #options: ClientConnectionsOptions
  readonly #connections = new SwapList<ClientConnection>()

  constructor(options: ClientConnectionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#connections.size
  }

  accept({ pool, slot }: PortRole, socket: AnySocket): void {
    const { stages, limiter, counters, log } = this.#options
    ignoreErrors(socket)
    const peer = peerOf(socket)
    const address = canonicalAddress(peer.address ?? '')
    if (address === null || stages.sessions.isClosing) {
      socket.destroy()
      return
    }
    const counted = limiter.accept(address)
    if (counted === null) {
      counters.countRefusal('too_many_from_address')
      socket.destroy()
      return
    }
    const connection: ClientConnection = { socket, isBusy: false, isFresh: true, index: -1 }
    this.#connections.add(connection)
    counters.connections++
    // 'close' is emitted once; `once` would only add the cost of removing the listener.
    socket.on('close', () => {
      this.#connections.remove(connection)
      counted.closed()
    })
    const client: GatewayClient = { pool, address, port: peer.port ?? null, slot, counted }
    this.#serve(client, new SocketReader(socket), connection).catch((error: unknown) => {
      log.error({ err: error, pool }, 'a connection failed on a bug')
      socket.destroy()
    })
  }

  /** Closes connections that are kept for a further request. */
  closeKept(): void {
    for (const { socket, isBusy, isFresh } of this.#connections.all())
      if (!isBusy && !isFresh) socket.destroySoon()
  }

  /** Closes all connections after pending data has been sent. */
  closeAll(): void {
    for (const { socket } of this.#connections.all()) socket.destroySoon()
  }

  destroyAll(): void {
    for (const { socket } of this.#connections.all()) socket.destroy()
  }

  /** Whether a request is under way, or a new connection has not sent its first request yet. */
  get isAwaited(): boolean {
    return this.#connections.all().some(({ isBusy, isFresh }) => isBusy || isFresh)
  }

  /** Resolves when no request is under way, or after `patienceMs`. */
  async whenIdle(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs
    const isAnyBusy = () => this.#connections.all().some(({ isBusy }) => isBusy)
    while (performance.now() < deadline && isAnyBusy()) await sleep(LOOK_MS)
  }

  async #serve(client: GatewayClient, reader: SocketReader, connection: ClientConnection): Promise<void> {
    const { stages } = this.#options
    const { socket } = reader
    let first: Buffer | null = null
    try {
      first = await reader.read(stages.limits.silentMs)
    } catch {
      // The client sent nothing in time, or its connection failed.
    }
    if (first === null) {
      socket.destroy()
      return
    }
    reader.unread(first)
    const version = first[0]
    if (version === SOCKS5) {
      connection.isBusy = true
      connection.isFresh = false
      await serveSocks5(stages, client, reader)
    } else if (version === SOCKS4) {
      socket.write(Buffer.from(SOCKS4_REJECTED))
      socket.destroySoon()
    } else if (version === TLS) {
      const inner = await this.#acceptTls(reader)
      if (inner === null) return
      connection.socket = inner.socket
      await this.#serve(client, inner, connection)
    } else {
      await serveHttp(stages, client, reader, (busy) => {
        connection.isBusy = busy
        connection.isFresh = false
      })
    }
  }

  /** A reader of the decrypted bytes; null when the connection was closed. TLS inside TLS is not accepted. */
  async #acceptTls(reader: SocketReader): Promise<SocketReader | null> {
    const { certificates, stages } = this.#options
    if (certificates === null || reader.socket instanceof TLSSocket) {
      reader.socket.destroy()
      return null
    }
    const tls = await acceptTls(reader, certificates, stages.limits.handshakeMs)
    return tls === null ? null : new SocketReader(tls)
  }
}
