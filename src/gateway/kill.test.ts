import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pattern } from '#test/origin'
import { serveFeed } from '#feed/server'
import { eventually } from '#test/eventually'
import { RawClient } from './testing/client.ts'
import { basic } from './testing/bench.ts'
import { MemoryFeed } from '#feed/testing'

const ROUNDS = 6
const TUNNELS = 3

let feed: MemoryFeed
let feedServer: Server
let source: Server
let directory: string
let child: ChildProcess | null = null

/**
 * Sends without end, but never more at a time than buffers hold, so that all bytes that left the gateway
 * reach the client.
 */
function stream(socket: Socket): void {
  const piece = pattern(20_000)
  const timer = setInterval(() => {
    if (socket.writableLength === 0) socket.write(piece)
  }, 2)
  socket.on('error', () => undefined)
  socket.on('close', () => clearInterval(timer))
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function startChild(feedPort: number): Promise<number> {
  const script = fileURLToPath(new URL('testing/child.ts', import.meta.url))
  child = spawn(process.execPath, [script, String(feedPort), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return Number(line.toString())
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-'))
  feed = new MemoryFeed()
  feed.addAccount('alice1', 'secret', 10_000_000_000n)
  feed.addExit()
  feedServer = createServer((socket) => void serveFeed(feed, socket))
  source = createServer(stream)
})
afterAll(() => {
  child?.kill('SIGKILL')
  feedServer.close()
  source.close()
  rmSync(directory, { recursive: true, force: true })
})

it('kill -9 never charges too much, and loses at most the last 100 ms', async () => {
  const feedPort = await listening(feedServer)
  const sourcePort = await listening(source)
  let received = 0
  let lowerBound = 0
  for (let round = 0; round < ROUNDS; round++) {
    const port = await startChild(feedPort)
    const clients = Array.from({ length: TUNNELS }, () => new RawClient(port))
    for (const client of clients) client.write(`CONNECT 127.0.0.1:${sourcePort} HTTP/1.1\r\n${basic()}\r\n`)
    const heads = async (client: RawClient) => {
      await client.until(() => client.text.includes('\r\n\r\n'), 'the answer')
      return client.text.indexOf('\r\n\r\n') + 4
    }
    const headBytes = (await Promise.all(clients.map(heads))).reduce((total, each) => total + each, 0)
    const soFar = () => clients.reduce((total, client) => total + client.socket.bytesRead, 0) - headBytes
    const samples: [number, number][] = []
    const sampler = setInterval(() => samples.push([performance.now(), soFar()]), 5)
    await eventually(() => soFar() > 500_000 + Math.random() * 3_000_000, 'bytes to flow', 20_000)
    const running = child
    const killedAt = performance.now()
    running?.kill('SIGKILL')
    if (running !== null) await once(running, 'exit')
    clearInterval(sampler)
    for (const client of clients) await client.untilEnd()
    received += soFar()
    lowerBound += samples.filter(([at]) => at < killedAt - 100).at(-1)?.[1] ?? 0
    for (const client of clients) client.destroy()
  }
  // One more boot settles what the last one left in its journal.
  await startChild(feedPort)
  const charged = Number(feed.charged.get(1n) ?? 0n)
  expect(feed.faults).toEqual([])
  expect(charged).toBeLessThanOrEqual(received)
  expect(charged).toBeGreaterThanOrEqual(lowerBound)
  expect(feed.leases.size).toBe(0)
  expect(feed.balances.get(1n)).toBe(10_000_000_000n - BigInt(charged))
}, 60_000)
