/** What is free and what is charged when no answer arrives, and the hourly budget of free bytes. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { eventually } from '#test/eventually'
import { pattern } from '#test/origin'
import type { GatewayOptions } from './gateway.options.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'
import { RawClient } from './testing/client.ts'

const UPLOAD = 65_000
const established = 'HTTP/1.1 200 OK\r\n\r\n'

let bench: Bench
const servers: Server[] = []
afterEach(async () => {
  await bench.close()
  for (const server of servers.splice(0)) server.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

async function listen(speak: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    speak(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Calls back when this many bytes were read after the head of a request. */
function behindHead(socket: Socket, bytes: number, then: () => void): void {
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const head = text.indexOf('\r\n\r\n') + 4
    if (head > 3 && text.length - head >= bytes) then()
  })
}

/**
 * A proxy that opens a tunnel, accepts bytes of it and resets: its target's failure and its own look the
 * same.
 */
function takesAndResets(socket: Socket): void {
  socket.once('data', () => {
    socket.write(established)
    let taken = 0
    socket.on('data', ({ length }: Buffer) => {
      taken += length
      if (taken >= UPLOAD) socket.resetAndDestroy()
    })
  })
}

async function begin(exit: Partial<FeedExit>, options: Partial<GatewayOptions> = {}): Promise<void> {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000n)
  memory.addExit('residential', exit)
  bench = await startBench({ memory, ...options })
}

const by = (port: number, parts: Partial<FeedExit> = {}) =>
  ({ kind: 'http', host: '127.0.0.1', port, ...parts }) as const

async function uploadTo(target: string, { login = 'alice1', port = bench.port } = {}): Promise<void> {
  const client = new RawClient(port)
  client.write(`CONNECT ${target} HTTP/1.1\r\n${basic(login)}\r\n`)
  await client.until(() => client.text.includes('\r\n\r\n'), 'the tunnel')
  expect(client.text).toMatch(/^HTTP\/1.1 200 /)
  client.write(pattern(UPLOAD))
  await client.until(() => client.closed || client.ended, 'the end')
  client.destroy()
}

async function times(count: number, once: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, once))
  await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of all')
}

/** The charges of the accounts after all reports, and the forgiven bytes according to the records. */
async function settled() {
  await bench.gateway.stop({ graceMs: 1000 })
  const records = bench.feed.records.flatMap((batch) => batch.records)
  const relayed = records.reduce((sum, { up_bytes, down_bytes }) => sum + up_bytes + down_bytes, 0n)
  const recorded = records.reduce((sum, one) => sum + one.charged_up_bytes + one.charged_down_bytes, 0n)
  const charged = [...bench.feed.charged.values()].reduce((sum, bytes) => sum + bytes, 0n)
  expect(recorded).toBe(charged)
  const counted = Object.values(bench.gateway.stats().pools).reduce(
    (sum, { bytesForgiven }) => sum + bytesForgiven,
    0,
  )
  expect(BigInt(counted)).toBe(relayed - charged)
  return { charged: Number(charged), forgiven: counted }
}

describe('a target that takes 65,000 bytes and resets, again and again', () => {
  it('is charged from the first byte when it is reached without another proxy', async () => {
    const port = await listen((socket) => {
      let taken = 0
      socket.on('data', ({ length }: Buffer) => {
        taken += length
        if (taken >= UPLOAD) socket.resetAndDestroy()
      })
    })
    await begin({})
    await times(10, () => uploadTo(`127.0.0.1:${port}`))
    expect(await settled()).toEqual({ charged: 10 * UPLOAD, forgiven: 0 })
  })

  it('costs nothing behind another proxy until the hourly budget is used up, also by concurrent tunnels', async () => {
    await begin(by(await listen(takesAndResets)), { forgivenBytesPerHour: 200_000 })
    await times(10, () => uploadTo('127.0.0.1:9'))
    await times(3, () => uploadTo('127.0.0.1:9'))
    expect(await settled()).toEqual({ charged: 13 * UPLOAD - 200_000, forgiven: 200_000 })
  })

  it('uses one budget for all pools of a customer, and never another customer’s', async () => {
    const port = await listen(takesAndResets)
    const memory = new MemoryFeed()
    const [first, second] = [
      memory.addAccount('alice1', 'secret', 1_000_000n),
      memory.addAccount('alice2', 'secret', 1_000_000n, 'mobile'),
    ]
    second.owner = first.owner
    const other = memory.addAccount('bob1', 'secret', 1_000_000n)
    for (const pool of ['residential', 'mobile']) memory.addExit(pool, by(port))
    bench = await startBench({
      memory,
      forgivenBytesPerHour: UPLOAD,
      ports: ['residential', 'mobile'].map((pool) => ({ pool, port: 0 })),
    })
    const mobile = bench.gateway.addresses[1]?.port ?? 0
    await uploadTo('127.0.0.1:9')
    await uploadTo('127.0.0.1:9', { login: 'alice2', port: mobile })
    await uploadTo('127.0.0.1:9', { login: 'bob1' })
    expect(await settled()).toEqual({ charged: UPLOAD, forgiven: 2 * UPLOAD })
    expect([first, second, other].map((account) => memory.chargedTo(account))).toEqual([
      0n,
      BigInt(UPLOAD),
      0n,
    ])
  })
})

const post = (target: string) =>
  `POST http://${target}/ HTTP/1.1\r\nHost: x\r\n${basic()}Content-Length: ${UPLOAD}\r\n\r\n`

describe('a forwarded request without an answer', () => {
  const upload = async (target: string) => {
    const client = bench.say(post(target))
    client.write(pattern(UPLOAD))
    await client.until(() => /\r\n\r\n.*\n$/s.test(client.text), 'an answer')
    return client.text
  }
  /** The head and the body, as the client sent them. */
  const sent = (target: string) => post(target).length + UPLOAD

  it('is charged when the target itself accepted it and reset', async () => {
    const port = await listen((socket) => behindHead(socket, UPLOAD, () => socket.resetAndDestroy()))
    const target = `127.0.0.1:${port}`
    await begin({}, { limits: { answerMs: 300 } })
    expect(await upload(target)).toMatch(/^HTTP\/1.1 502 .*target_closed/s)
    expect(await settled()).toEqual({ charged: sent(target), forgiven: 0 })
  })

  it('is charged when the target itself accepted it and stayed silent', async () => {
    const target = `127.0.0.1:${await listen((socket) => void socket.resume())}`
    await begin({}, { limits: { answerMs: 300 } })
    expect(await upload(target)).toMatch(/^HTTP\/1.1 504 .*target_timeout/s)
    expect(await settled()).toEqual({ charged: sent(target), forgiven: 0 })
  })

  it.each([
    [
      'an error of the exit’s own',
      'HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n',
      /^HTTP\/1.1 502 .*exit_refused/s,
    ],
    ['the end of the connection', '', /^HTTP\/1.1 502 .*target_closed/s],
  ])('that an exit forwards is forgiven for %s, within the budget', async (_what, answer, refusal) => {
    const port = await listen((socket) => behindHead(socket, UPLOAD, () => void socket.end(answer)))
    await begin(by(port, { plain_http: 'forward' }), { forgivenBytesPerHour: 60_000 })
    const target = '127.0.0.1:9'
    expect(await upload(target)).toMatch(refusal)
    expect(await settled()).toEqual({ charged: sent(target) - 60_000, forgiven: 60_000 })
  })
})

describe('an exit that fails', () => {
  it.each([
    ['refuses the tunnel', 'HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n'],
    ['is not there', null],
  ])('costs nothing when it %s', async (_what, answer) => {
    const port = await listen((socket) => void socket.once('data', () => socket.end(answer ?? '')))
    if (answer === null) servers.pop()?.close()
    await begin(by(port), { forgivenBytesPerHour: 0 })
    const client = bench.say(`CONNECT 127.0.0.1:9 HTTP/1.1\r\n${basic()}\r\n`)
    client.write(pattern(UPLOAD))
    await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
    expect(client.text).toMatch(/^HTTP\/1.1 50/)
    expect(await settled()).toEqual({ charged: 0, forgiven: 0 })
  })

  it('costs nothing when it breaks the tunnel before the target’s first byte, and everything after it', async () => {
    const sockets: Socket[] = []
    let received = ''
    const port = await listen((socket) => {
      sockets.push(socket)
      socket.once('data', () => {
        socket.write(established)
        socket.on('data', (chunk: Buffer) => {
          if (chunk.includes('echo')) socket.write(chunk)
          else received += chunk.toString()
        })
      })
    })
    await begin(by(port))
    const open = async () => {
      const client = bench.say(`CONNECT 127.0.0.1:9 HTTP/1.1\r\n${basic()}\r\n`)
      await client.until(() => client.text.includes('\r\n\r\n'), 'the tunnel')
      return client
    }
    const [silent, echoed] = [await open(), await open()]
    silent.write('hello')
    echoed.write('echo')
    await echoed.until(() => echoed.text.endsWith('echo'), 'the echo')
    await eventually(() => received === 'hello', 'the five bytes')
    for (const socket of sockets) socket.resetAndDestroy()
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of both')
    expect(await settled()).toEqual({ charged: 8, forgiven: 5 })
  })
})

describe('a client that has closed the connection', () => {
  it('pays for nothing that was written to its dead connection', async () => {
    const said = pattern(100_000)
    let target: Socket | null = null
    const port = await listen((socket) => {
      socket.pause()
      target = socket
    })
    await begin({})
    const client = bench.say(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n${basic()}\r\n`)
    await client.until(() => client.text.includes('\r\n\r\n'), 'the tunnel')
    // The target does not read, so the gateway stops reading the client, and does not learn that it resets.
    client.write(Buffer.alloc(32 * 1024 * 1024))
    let before = -1n
    while (bench.feed.charged.get(1n) !== before || before <= 0n) {
      before = bench.feed.charged.get(1n) ?? 0n
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    client.socket.resetAndDestroy()
    await eventually(() => client.closed, 'the reset')
    ;(target as Socket | null)?.write(said)
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
    await settled()
    expect(bench.feed.records.flatMap((batch) => batch.records)[0]).toMatchObject({
      outcome: 'client_failed',
      down_bytes: 0n,
    })
  })
})
