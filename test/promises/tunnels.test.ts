import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { serveFeed } from '#feed/server'
import { eventually } from '#test/eventually'
import { basic } from '../../src/gateway/testing/bench.ts'
import { MemoryFeed } from '#feed/testing'
import { RawClient } from '../../src/gateway/testing/client.ts'

const TUNNELS = 500
const BALANCE = 10_000_000_000n

let origin: Origin
let feed: MemoryFeed
let feedServer: Server
let folder: string
let gateway: ChildProcess
let port: number
let complaints = ''

beforeAll(async () => {
  origin = await startOrigin()
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-tunnels-'))
  feed = new MemoryFeed()
  feed.addAccount('alice1', 'secret', BALANCE)
  feed.addExit()
  feedServer = createServer((socket) => void serveFeed(feed, socket)).listen(0, '127.0.0.1')
  await once(feedServer, 'listening')
  const script = path.join(import.meta.dirname, '../../src/gateway/testing/child.ts')
  const feedPort = (feedServer.address() as AddressInfo).port
  gateway = spawn(process.execPath, [script, String(feedPort), folder], { stdio: ['ignore', 'pipe', 'pipe'] })
  gateway.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  const [line] = (await once(gateway.stdout ?? gateway, 'data')) as [Buffer]
  port = Number(line.toString())
})
afterAll(async () => {
  gateway.kill('SIGKILL')
  await once(gateway, 'exit')
  feedServer.close()
  await origin.close()
  rmSync(folder, { recursive: true, force: true })
})

const openFiles = () => readdirSync(`/proc/${gateway.pid}/fd`).length

function residentKiB(): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1])
}

async function openTunnel(): Promise<RawClient> {
  const client = new RawClient(port)
  const target = `127.0.0.1:${origin.echoPort}`
  client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${basic()}\r\n`)
  await client.until(() => client.text.includes('\r\n\r\n'), 'the tunnel')
  expect(client.text).toMatch(/^HTTP\/1\.1 200 /)
  return client
}

const openMany = (count: number) => Promise.all(Array.from({ length: count }, openTunnel))

async function closeAll(clients: RawClient[], files: number): Promise<void> {
  for (const client of clients) client.destroy()
  await eventually(() => openFiles() <= files, `no more than ${files} open files`, 10_000)
}

it('P13: 500 idle tunnels hold no lease and no buffer, all of them work, and leave nothing behind', async () => {
  // The first hundred grow the process to its working size, and open its journal.
  await closeAll(await openMany(100), openFiles() + 5)
  await eventually(() => feed.leases.size === 0, 'the first leases to go back', 10_000)
  const files = openFiles()
  const before = residentKiB()
  const tunnels = await openMany(TUNNELS)
  await eventually(() => feed.leases.size === 0, 'the lease of idle tunnels to go back', 10_000)
  // Two sockets each, and less memory than the 64 KiB buffer of one read.
  expect(openFiles()).toBeGreaterThanOrEqual(files + 2 * TUNNELS)
  // Most of this is one-time growth of the heap; bench/gateway measures the memory per tunnel of 10,000.
  expect((residentKiB() - before) / TUNNELS).toBeLessThan(64)
  const one = await openTunnel()
  await Promise.all(
    [...tunnels, one].map(async (client, index) => {
      client.write(`tunnel ${index}.`)
      await client.until(() => client.text.endsWith(`\r\n\r\ntunnel ${index}.`), 'its own echo')
    }),
  )
  await closeAll([...tunnels, one], files)
})

it('P16: connections that end in any way leave no socket and no lease, and every byte is in the books', async () => {
  const files = openFiles()
  const request = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`
  const page = (name: string) => request(`http://127.0.0.1:${origin.httpPort}${name}`)
  const endings: (() => Promise<RawClient>)[] = [
    async () => {
      const client = await openTunnel()
      client.socket.end('said and done')
      await client.untilEnd()
      return client
    },
    async () => {
      const client = await openTunnel()
      client.write('!reset\n')
      await client.until(() => client.closed || client.ended, 'the reset')
      return client
    },
    async () => {
      const client = await openTunnel()
      client.write('hello')
      client.socket.resetAndDestroy()
      return client
    },
    ...['/bytes/200000', '/truncated/5000', '/reset', '/chunked/70000'].map((name) => async () => {
      const client = new RawClient(port)
      client.write(page(name))
      await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
      return client
    }),
    async () => {
      const client = new RawClient(port)
      client.write(page('/bytes/20000000'))
      await client.until(() => client.bytes.length > 1000, 'the first bytes')
      client.socket.resetAndDestroy()
      return client
    },
    async () => {
      const client = new RawClient(port)
      client.write('GET http://half.test/ HTTP/1.1\r\nHo')
      return client
    },
    async () => {
      const client = new RawClient(port)
      client.write(Buffer.from([5, 1, 0]))
      await client.untilEnd()
      return client
    },
  ]
  for (let round = 0; round < 15; round++) {
    const clients = await Promise.all([...endings, ...endings].map((end) => end()))
    for (const client of clients) client.destroy()
  }
  await eventually(() => openFiles() <= files, `no more than ${files} open files`, 10_000)
  await eventually(() => feed.leases.size === 0, 'every lease to go back', 10_000)
  expect(feed.faults).toEqual([])
  expect(feed.balances.get(1n)).toBe(BALANCE - (feed.charged.get(1n) ?? 0n))
  expect(feed.charged.get(1n)).toBeGreaterThan(15n * 2n * 200_000n)
  expect(complaints).toBe('')
})
