/**
 * Serves the feed to gateways in other process trees: over a unix socket, or over TLS from other machines.
 */

import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Feed } from './feed.ts'
import { endWhenSilent, type FeedAddress, firstLine, tokenOf, WELCOME } from './handshake.ts'
import type { FeedKeys, FeedPeer } from './keys.ts'
import { serveFeed, type ServeOptions } from './server.ts'

export interface FeedListenOptions extends ServeOptions {
  feed: Feed
  address: FeedAddress
  /** The tokens that gateways send. */
  keys: FeedKeys
  /** PEM; required unless the address is a unix socket. */
  tls: { cert: string; key: string } | null
  /**
   * Called for a peer without a token, for one whose token was revoked or does not fit its name, and for a
   * connection that failed during the handshake.
   */
  onRefused?: (from: string, error: Error) => void
}

export interface FeedListener {
  /** The port it listens on; null for a unix socket. */
  port: number | null
  /** Ends every connection and stops listening. */
  close(): Promise<void>
}

const PATIENCE_MS = 10_000
/** Connections without a complete handshake; further ones are closed at once. */
const MOST_HANDSHAKES = 100
const MOST_CONNECTIONS = 2000

/** Whether a process listens on the socket; a killed process leaves the file behind. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function listen(server: Server, address: FeedAddress): Promise<number | null> {
  const isUnix = 'path' in address
  if (isUnix && !(await isAlive(address.path))) rmSync(address.path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => resolve())
  })
  if (isUnix) chmodSync(address.path, 0o600)
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : null
}

/**
 * Serves the feed to every gateway that sends a token, until that is revoked. Rejects when the address is
 * taken.
 */
export async function listenFeed(options: FeedListenOptions): Promise<FeedListener> {
  const { address, tls, keys } = options
  /** The rights of each open connection; null: its handshake is not complete. */
  const sockets = new Map<Socket, FeedPeer | null>()
  let handshakes = 0
  const refuse = (socket: Socket, fault: Error) => {
    const from = 'path' in address ? address.path : (socket.remoteAddress ?? 'unknown')
    options.onRefused?.(from, fault)
  }
  const serve = async (socket: Socket): Promise<void> => {
    handshakes++
    try {
      const line = await firstLine(socket, PATIENCE_MS)
      const peer = keys.admit(tokenOf(line) ?? '')
      if (peer === null) throw new Error('it has no token, or a revoked one')
      if (socket.destroyed) return
      sockets.set(socket, peer)
      socket.write(`${WELCOME}\n`)
      endWhenSilent(socket)
      serveFeed(options.feed, socket, {
        ...options,
        mayBe: (name) => peer.mayBe(name),
        onForeign: (fault) => refuse(socket, fault),
      })
    } catch (error) {
      refuse(socket, error instanceof Error ? error : new Error(String(error)))
      socket.destroy()
    } finally {
      handshakes--
    }
  }
  const accept = (socket: Socket) => {
    socket.on('error', () => undefined)
    if (handshakes >= MOST_HANDSHAKES) {
      socket.destroy()
      return
    }
    sockets.set(socket, null)
    socket.once('close', () => sockets.delete(socket))
    socket.setNoDelay(true)
    void serve(socket)
  }
  let server: Server
  if ('path' in address) {
    server = createServer(accept)
  } else {
    if (tls === null) throw new Error('a feed for other machines needs a certificate')
    const secure = { ...tls, minVersion: 'TLSv1.3' as const, handshakeTimeout: PATIENCE_MS }
    server = createTlsServer(secure, accept)
    server.on('tlsClientError', () => undefined)
  }
  server.maxConnections = MOST_CONNECTIONS
  const port = await listen(server, address)
  server.on('error', (error) => options.onRefused?.('the listener', error))
  const unsubscribe = keys.subscribe(() => {
    for (const [socket, peer] of sockets) {
      if (peer === null || peer.isValid()) continue
      refuse(socket, new Error('its token was revoked'))
      socket.destroy()
    }
  })
  return {
    port,
    close: () => {
      unsubscribe()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets.keys()) socket.destroy()
      return closed
    },
  }
}
