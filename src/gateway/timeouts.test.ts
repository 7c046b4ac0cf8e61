/** The timeouts for a client or target that falls silent, and the limit of connections per customer. */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { blackHole } from './testing/black.hole.ts'
import type { RawClient } from './testing/client.ts'
import { MemoryFeed } from '#feed/testing'
import { basic, startBench, type Bench } from './testing/bench.ts'
import { startUpstream } from './testing/proxy.ts'

let origin: Origin
let bench: Bench

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
afterEach(async () => {
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

const say = (text: string) => bench.say(text)
const connectHead = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${basic()}\r\n`
const request = (url: string, fields = '', method = 'GET') =>
  `${method} ${url} HTTP/1.1\r\nHost: x\r\n${basic()}${fields}\r\n`
const url = (path: string) => `http://127.0.0.1:${origin.httpPort}${path}`
const ended = (outcome: string) => bench.gateway.stats().pools['residential']?.ended[outcome] ?? 0

async function tunnel(): Promise<RawClient> {
  const client = say(connectHead(`127.0.0.1:${origin.echoPort}`))
  await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
  return client
}

/** A target that sends the test's bytes on every connection. */
async function target(speak: (socket: Socket) => void): Promise<{ port: number; close: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => speak(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('silence', () => {
  it('ends an idle tunnel, whose relayed bytes are charged; an active one continues', async () => {
    bench = await startBench({ limits: { idleMs: 1500 } })
    const [silent, talking] = [await tunnel(), await tunnel()]
    silent.write('hello')
    const talk = setInterval(() => talking.write('x'), 100)
    await silent.untilEnd(15_000)
    clearInterval(talk)
    expect(silent.text).toMatch(/hello$/)
    expect(talking.ended).toBe(false)
    expect(ended('idle')).toBe(1)
    talking.destroy()
    await silent.until(() => bench.gateway.stats().leasesOpen === 0, 'the lease to go back')
    const { bytesUp, bytesDown } = bench.gateway.stats()
    expect(bench.feed.charged.get(1n)).toBe(BigInt(bytesUp + bytesDown))
  })

  it('of a client within its request body is answered with 504, and the connection to its target is closed', async () => {
    bench = await startBench({ limits: { answerMs: 400 } })
    const before = origin.open()
    const client = say(request(url('/echo'), 'Content-Length: 100\r\n', 'POST'))
    client.write('only the beginning')
    await client.untilEnd()
    expect(client.text).toMatch(/^HTTP\/1.1 504 .*target_timeout/s)
    await client.until(() => origin.open() === before, 'the target to be let go')
  })

  it('of a target within its body ends the response, detectably truncated', async () => {
    bench = await startBench({ limits: { idleMs: 400 } })
    const stuck = await target((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly the beginning'),
    )
    const client = say(request(`http://127.0.0.1:${stuck.port}/`))
    await client.untilEnd()
    expect(client.text).toMatch(/\r\n\r\nonly the beginning$/)
    stuck.close()
  })
})

describe('a target that cannot be reached', () => {
  it('ends in time with 504, free of charge', async () => {
    bench = await startBench({ limits: { exitsMs: 400 } })
    const hole = await blackHole()
    const client = say(connectHead(`127.0.0.1:${hole.port}`))
    await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
    expect(client.text).toMatch(/^HTTP\/1.1 504 .*connection_timeout/s)
    expect(bench.feed.charged.get(1n) ?? 0n).toBe(0n)
    await hole.close()
  })

  /** Longer than `until` waits, so that a timeout is not what ends the attempt. */
  const patient = { exitMs: 60_000, exitsMs: 60_000 }

  it('is abandoned immediately when the client closes', async () => {
    bench = await startBench({ limits: patient })
    const hole = await blackHole()
    const client = say(connectHead(`127.0.0.1:${hole.port}`))
    await client.until(() => bench.gateway.stats().tunnelsOpen === 1, 'the try')
    client.socket.resetAndDestroy()
    await client.until(() => bench.gateway.stats().tunnelsOpen === 0, 'the try to be given up')
    await hole.close()
  })

  it.each(['http', 'socks5'] as const)('over an exit of %s as well', async (kind) => {
    const upstream = await startUpstream({ kind, answer: () => 'hang' })
    const memory = new MemoryFeed()
    memory.addAccount('alice1', 'secret', 1_000_000_000n)
    memory.addExit('residential', { kind, host: '127.0.0.1', port: upstream.port })
    bench = await startBench({ memory, limits: patient })
    const client = say(connectHead(`127.0.0.1:${origin.echoPort}`))
    await client.until(() => upstream.seen.length === 1, 'the exit to be asked')
    client.socket.resetAndDestroy()
    await client.until(() => upstream.open() === 0, 'the exit to be left')
    await upstream.close()
  })
})

describe('one customer', () => {
  it('has a limit of connections over all protocols, without effect on others', async () => {
    bench = await startBench({ limits: { connectionsPerAccount: 2 } })
    bench.feed.addAccount('bobby1', 'secret', 1_000_000n)
    const [first] = [await tunnel(), await tunnel()]
    const third = say(connectHead(`127.0.0.1:${origin.echoPort}`))
    await third.until(() => third.text.includes('open connections'), 'the refusal')
    expect(third.text).toMatch(/^HTTP\/1.1 429 .*too_many_connections: .* 2 open connections/s)
    const plain = say(request(url('/'), 'Connection: close\r\n'))
    await plain.untilEnd()
    expect(plain.text).toMatch(/^HTTP\/1.1 429 /)
    const socks = say('\x05\x01\x02\x01\x06alice1\x06secret')
    await socks.untilEnd()
    expect(socks.text).toBe('\x05\x02')
    const other = say(request(url('/'), 'Connection: close\r\n').replace(basic(), basic('bobby1')))
    await other.untilEnd()
    expect(other.text).toMatch(/^HTTP\/1.1 200 /)
    first?.destroy()
    await plain.until(() => bench.gateway.stats().tunnelsOpen === 1, 'one to leave')
    expect((await tunnel()).text).toMatch(/^HTTP\/1.1 200 /)
  })
})
