/**
 * The phase `distance`: the time to open a tunnel through an exit that is 50 ms away, sequentially. The exit
 * is behind a relay that delays each direction; client and target are near the gateway.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { startDelayRelay } from '#test/delay.relay'
import { startBench } from '../../src/gateway/testing/bench.ts'
import { certificateFolder } from '../../src/gateway/testing/certificates.ts'
import { startUpstream, type UpstreamOptions } from '../../src/gateway/testing/proxy.ts'
import { type Proxy, tunnel } from './client.ts'
import { startPeer } from './peers.ts'
import { median } from './report.ts'

const DELAY_MS = 50
/** The pause between two tunnels; longer than opening a connection in advance takes. */
const PAUSE_MS = 500
/** The time until a health check has tried a handshake in one segment. */
const LEARN_MS = 3000
const WARM = 2

const login = { username: 'shop', password: 'exit-password' }

interface Place {
  folder: string
  targetPort: number
  tunnels: number
}

const certificates = certificateFolder()

interface Row {
  name: string
  kind: 'http' | 'socks5'
  tls?: true
  parts: Partial<FeedExit>
}

const rows = (targetPort: number): Row[] => {
  const learns = { probe_target: `127.0.0.1:${targetPort}` }
  const warm = { warm_connections: WARM }
  return [
    { name: 'HTTP', kind: 'http', parts: {} },
    { name: `HTTP, \`--warm ${WARM}\``, kind: 'http', parts: warm },
    { name: 'HTTP over TLS 1.3', kind: 'http', tls: true, parts: {} },
    { name: `HTTP over TLS 1.3, \`--warm ${WARM}\``, kind: 'http', tls: true, parts: warm },
    { name: 'SOCKS5, step by step', kind: 'socks5', parts: {} },
    { name: 'SOCKS5, in one segment', kind: 'socks5', parts: learns },
    { name: `SOCKS5, in one segment, \`--warm ${WARM}\``, kind: 'socks5', parts: { ...learns, ...warm } },
  ]
}

/** An exit behind a relay, for as long as `measure` takes. */
async function farExit(
  options: UpstreamOptions,
  measure: (port: number) => Promise<string>,
): Promise<string> {
  const right = (username: string, password: string) =>
    username === login.username && password === login.password
  const upstream = await startUpstream({ login: right, ...options })
  const relay = await startDelayRelay(upstream.port, DELAY_MS)
  try {
    return await measure(relay.port)
  } finally {
    await relay.close()
    await upstream.close()
  }
}

/** A row of the table: until the proxy has answered, and until a byte came back from the target. */
async function times(name: string, proxy: Proxy, { targetPort, tunnels }: Place): Promise<string> {
  const answered: number[] = []
  const echoed: number[] = []
  // The first tunnel only marks the exit as used.
  for (let index = -1; index < tunnels; index++) {
    const startedAt = performance.now()
    const line = await tunnel(proxy, targetPort)
    const answeredAt = performance.now()
    await line.ask('E', (got) => got.length > 0)
    const echoedAt = performance.now()
    await line.end()
    if (index >= 0) {
      answered.push(answeredAt - startedAt)
      echoed.push(echoedAt - startedAt)
    }
    await pause(PAUSE_MS)
  }
  const shown = (values: number[]) => `${median(values)?.toFixed(0)} (${Math.max(...values).toFixed(0)})`
  return `| ${name} | ${shown(answered)} | ${shown(echoed)} |`
}

async function ownRow({ name, kind, tls, parts }: Row, place: Place): Promise<string> {
  const files = certificates.make('exit', ['127.0.0.1'])
  const cert = readFileSync(files.cert)
  const secured = tls === true ? { tls: { cert, key: readFileSync(files.key) } } : {}
  return await farExit({ kind, ...secured }, async (port) => {
    const memory = new MemoryFeed()
    memory.addAccount('alice1', 'secret', 1_000_000_000n)
    const over = tls === true ? { tls: true, tls_ca: cert.toString() } : {}
    memory.addExit('residential', { kind, host: '127.0.0.1', port, ...login, ...over, ...parts })
    const bench = await startBench({ memory, probeAfterMs: 1000 })
    const logins = [{ user: 'alice1', password: 'secret' }]
    try {
      await pause(LEARN_MS)
      return await times(`turnpike: ${name}`, { protocol: 'connect', ports: [bench.port], logins }, place)
    } finally {
      await bench.close()
    }
  })
}

async function squidRow(standby: number, place: Place): Promise<string> {
  return await farExit({ kind: 'http' }, async (port) => {
    const peer = await startPeer('squid', { ...place, parent: { port, ...login, standby } })
    if (peer === null) return ''
    const name = `squid ${peer.version}: HTTP${standby > 0 ? `, \`standby=${standby}\`` : ''}`
    try {
      return await times(name, peer.proxy, place)
    } finally {
      await peer.stop()
    }
  })
}

/** Measures every kind of exit; returns the table. */
export async function distance(place: Place): Promise<string> {
  const lines = [
    `Node ${process.version}; an exit with a password, ${DELAY_MS} ms away in each direction; ${place.tunnels} tunnels one after another; median (and longest) ms.`,
    '',
    '| through | until the 200 | until the target’s first byte |',
    '|---|---:|---:|',
  ]
  try {
    for (const row of rows(place.targetPort)) lines.push(await ownRow(row, place))
    for (const standby of [0, WARM]) lines.push(await squidRow(standby, place))
  } finally {
    certificates.remove()
  }
  return lines.filter((line, index) => line !== '' || index === 1).join('\n')
}
