/** Another exit is tried only before the client has received a byte. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { basic, startBench, type Bench } from '../testing/bench.ts'

let bench: Bench
const servers: Server[] = []
afterEach(async () => {
  await bench.close()
  for (const server of servers.splice(0)) server.close()
  expect(bench.errors).toEqual([])
})

/** A proxy that answers every request in the given way, and counts connections. */
async function proxy(speak: (socket: Socket) => void) {
  let made = 0
  const server = createServer((socket) => {
    made++
    socket.on('error', () => undefined)
    socket.once('data', () => speak(socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, made: () => made }
}

/** Two exits, the first one with a weight a thousand million times larger. */
async function leaveBy(parts: Partial<FeedExit>, first: number, second: number): Promise<void> {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000n)
  for (const [port, weight] of [
    [first, 1e9],
    [second, 1],
  ] as const)
    memory.addExit('residential', { kind: 'http', host: '127.0.0.1', port, weight, ...parts })
  bench = await startBench({ memory })
}

async function ask(text: string): Promise<string> {
  const client = bench.say(text)
  await client.untilEnd()
  return client.text
}

const fine = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const get = `GET http://127.0.0.1:9/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${basic()}\r\n`

describe('once the client has received a byte', () => {
  it('no other exit is tried for a tunnel that breaks', async () => {
    const breaking = await proxy((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.once('data', () => socket.resetAndDestroy())
    })
    const other = await proxy((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nnever'))
    await leaveBy({}, breaking.port, other.port)
    const text = await ask(`CONNECT 127.0.0.1:9 HTTP/1.1\r\n${basic()}\r\nhello`)
    expect(text).toMatch(/^HTTP\/1.1 200 /)
    expect(text).not.toContain('never')
    expect([breaking.made(), other.made()]).toEqual([1, 0])
  })

  it.each([
    ['body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('nor for an answer that breaks off after its %s', async (_what, said) => {
    const breaking = await proxy((socket) => void socket.end(said))
    const other = await proxy((socket) => void socket.end(fine))
    await leaveBy({ plain_http: 'forward' }, breaking.port, other.port)
    const text = await ask(get)
    expect(text.startsWith(said.slice(0, 12))).toBe(true)
    expect(text).not.toContain('\r\n\r\nok')
    expect([breaking.made(), other.made()]).toEqual([1, 0])
  })
})

it('a request that an exit may have forwarded is not sent through another: the target could execute it twice', async () => {
  const silent = await proxy((socket) => void socket.end())
  const other = await proxy((socket) => void socket.end(fine))
  await leaveBy({ plain_http: 'forward' }, silent.port, other.port)
  const text = await ask(get.replace('GET', 'POST'))
  expect(text).toMatch(/^HTTP\/1.1 502 .*target_closed/s)
  expect([silent.made(), other.made()]).toEqual([1, 0])
})
