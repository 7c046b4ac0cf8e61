/**
 * The paths on which every case is tried: over the bare connection, inside TLS, and through another proxy
 * that tunnels, that forwards, or that uses SOCKS5. The customer's view must be the same on all of them.
 */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { FeedExit } from '#feed'
import { type GatewayOptions, parseAllow } from '../../src/gateway/gateway.ts'
import { type Bench, startBench } from '../../src/gateway/testing/bench.ts'
import { namesOf } from '../../src/gateway/testing/names.ts'
import { MemoryFeed } from '#feed/testing'
import { certificateFolder } from '../../src/gateway/testing/certificates.ts'

export const wayNames = [
  'over the bare connection',
  'inside TLS',
  'through an HTTP proxy',
  'through a proxy that forwards',
  'through a SOCKS5 proxy',
] as const
export type WayName = (typeof wayNames)[number]

/** The names that exist here; all others do not resolve. */
const names: Record<string, string[]> = { 'here.test': ['127.0.0.1'] }

/** The exit of each path; null: the gateway connects to the target itself. */
const exits: Record<WayName, Partial<FeedExit> | null> = {
  'over the bare connection': null,
  'inside TLS': null,
  'through an HTTP proxy': { kind: 'http', plain_http: 'tunnel' },
  'through a proxy that forwards': { kind: 'http', plain_http: 'forward' },
  'through a SOCKS5 proxy': { kind: 'socks5' },
}

export interface Line {
  socket: Socket
  /** Ends the connection with a reset. */
  reset: () => void
}

export interface Way {
  name: WayName
  port: number
  bench: Bench
  /** A new connection to the gateway, ready to be used. */
  open: () => Promise<Line>
  close: () => Promise<void>
}

function openWith(port: number, tls: boolean): () => Promise<Line> {
  return async () => {
    const carrier = connectTcp({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
    const socket = tls ? connectTls({ socket: carrier, rejectUnauthorized: false }) : carrier
    carrier.on('error', () => undefined)
    socket.on('error', () => undefined)
    await once(socket, tls ? 'secureConnect' : 'connect')
    return { socket, reset: () => carrier.resetAndDestroy() }
  }
}

/** Starts a gateway on loopback with the account `alice1` / `secret`, and its exit, if any. */
export async function startWay(name: WayName, options: Partial<GatewayOptions> = {}): Promise<Way> {
  const folder = certificateFolder()
  const certificate = folder.make('door', ['127.0.0.1'])
  const both = async () => ({ allow: parseAllow('127.0.0.1,::1,here.test'), names: await namesOf(names) })
  const parts = exits[name]
  const upstream = parts === null ? null : await startBench(await both())
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000_000n)
  const login = { username: 'alice1', password: 'secret' }
  memory.addExit(
    'residential',
    upstream === null ? {} : { host: '127.0.0.1', port: upstream.port, ...login, ...parts },
  )
  const bench = await startBench({ ...(await both()), memory, certificates: [certificate], ...options })
  return {
    name,
    port: bench.port,
    bench,
    open: openWith(bench.port, name === 'inside TLS'),
    async close() {
      if (upstream?.gateway.stats().connectionsTotal === 0) throw new Error('nothing left by the proxy')
      await bench.close()
      await upstream?.close()
      folder.remove()
      const faults = [bench, upstream].flatMap((each) => [
        ...(each?.errors ?? []),
        ...(each?.feed.faults ?? []),
      ])
      if (faults.length > 0) throw new Error(`the gateway has a bug: ${JSON.stringify(faults)}`)
    },
  }
}
