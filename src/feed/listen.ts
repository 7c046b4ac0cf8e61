/** The server's door for gateways outside of its process tree: over a unix socket, or over TLS from other machines. */

import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Feed } from './feed.ts'
import { endWhenSilent, type FeedAddress, firstLine, isGreeting, WELCOME } from './handshake.ts'
import { serveFeed } from './server.ts'

export interface FeedListenOptions {
  feed: Feed
  address: FeedAddress
  /** What gateways prove themselves with. */
  token: string
  /** PEM; needed for every address but a unix socket's. */
  tls: { cert: string; key: string } | null
  /** A stranger, or a connection that broke at its beginning. */
  onRefused?: (from: string, fault: Error) => void
}

export interface FeedDoor {
  /** The port it listens on; null for a unix socket. */
  port: number | null
  /** Ends every connection and stops listening. */
  close(): Promise<void>
}

const PATIENCE_MS = 10_000
/** Connections at a time that have not said who they are; more are closed at once. */
const MOST_STRANGERS = 100
const MOST_CONNECTIONS = 2000

/** Whether somebody answers on the socket; one that was left behind by a kill answers nobody. */
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

/** Serves the feed to every gateway that comes with the token. Rejects when the address is taken. */
export async function listenFeed(options: FeedListenOptions): Promise<FeedDoor> {
  const { address, tls } = options
  const sockets = new Set<Socket>()
  let strangers = 0
  const welcome = async (socket: Socket): Promise<void> => {
    strangers++
    try {
      const line = await firstLine(socket, PATIENCE_MS)
      if (!isGreeting(line, options.token)) throw new Error('it does not know the token')
      if (socket.destroyed) return
      socket.write(`${WELCOME}\n`)
      endWhenSilent(socket)
      serveFeed(options.feed, socket)
    } catch (fault) {
      const from = 'path' in address ? address.path : (socket.remoteAddress ?? 'unknown')
      options.onRefused?.(from, fault instanceof Error ? fault : new Error(String(fault)))
      socket.destroy()
    } finally {
      strangers--
    }
  }
  const come = (socket: Socket) => {
    socket.on('error', () => undefined)
    if (strangers >= MOST_STRANGERS) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.setNoDelay(true)
    void welcome(socket)
  }
  let server: Server
  if ('path' in address) {
    server = createServer(come)
  } else {
    if (tls === null) throw new Error('a feed for other machines needs a certificate')
    const secure = { ...tls, minVersion: 'TLSv1.3' as const, handshakeTimeout: PATIENCE_MS }
    server = createTlsServer(secure, come)
    server.on('tlsClientError', () => undefined)
  }
  server.maxConnections = MOST_CONNECTIONS
  const port = await listen(server, address)
  server.on('error', (fault) => options.onRefused?.('the listener', fault))
  return {
    port,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      return closed
    },
  }
}
