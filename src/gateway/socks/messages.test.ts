import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { parseGreeting, parseSocksRequest, parseUserPassword, SocksFault } from './messages.ts'
import { RawClient } from '../testing/client.ts'
import { startBench, type Bench } from '../testing/bench.ts'

const greeting = (...methods: number[]) => Buffer.from([5, methods.length, ...methods])
const login = (username: string, password: string) =>
  Buffer.concat([
    Buffer.from([1, username.length]),
    Buffer.from(username, 'latin1'),
    Buffer.from([password.length]),
    Buffer.from(password, 'latin1'),
  ])

function request(address: Buffer, port: number, command = 1): Buffer {
  const tail = Buffer.alloc(2)
  tail.writeUInt16BE(port)
  return Buffer.concat([Buffer.from([5, command, 0]), address, tail])
}
const v4 = (...octets: number[]) => Buffer.from([1, ...octets])
const named = (name: string) => Buffer.concat([Buffer.from([3, name.length]), Buffer.from(name, 'latin1')])

describe('the messages', () => {
  it('are parsed once complete, and no byte further', () => {
    const text = fc.string({ unit: 'binary-ascii', maxLength: 255 })
    fc.assert(
      fc.property(
        text,
        text,
        fc.string({ unit: 'binary-ascii', maxLength: 5 }),
        (username, password, next) => {
          const whole = login(username, password)
          for (let cut = 0; cut < whole.length; cut++)
            expect(parseUserPassword(whole.subarray(0, cut))).toBeNull()
          const parsed = parseUserPassword(Buffer.concat([whole, Buffer.from(next, 'latin1')]))
          expect(parsed?.username.toString('latin1')).toBe(username)
          expect(parsed?.password.toString('latin1')).toBe(password)
          expect(parsed?.used).toBe(whole.length)
        },
      ),
      { numRuns: 30 },
    )
    for (const whole of [request(v4(1, 2, 3, 4), 80), request(named('a.example'), 443)]) {
      for (let cut = 0; cut < whole.length; cut++)
        expect(parseSocksRequest(whole.subarray(0, cut))).toBeNull()
      expect(parseSocksRequest(whole)?.used).toBe(whole.length)
    }
    expect(parseGreeting(greeting(0, 2))).toEqual({ noAuthentication: true, userPassword: true, used: 4 })
    expect(parseGreeting(greeting())).toEqual({ noAuthentication: false, userPassword: false, used: 2 })
    const six = Buffer.concat([Buffer.from([4]), Buffer.alloc(15), Buffer.from([1])])
    expect(parseSocksRequest(request(six, 80))?.host).toBe('::1')
  })

  it('of another protocol are refused', () => {
    expect(() => parseGreeting(Buffer.from([4]))).toThrow(SocksFault)
    expect(() => parseUserPassword(Buffer.from([5]))).toThrow(SocksFault)
    expect(() => parseSocksRequest(Buffer.from([5, 1, 7, 1]))).toThrow(SocksFault)
  })
})

describe('a SOCKS5 client', () => {
  let origin: Origin
  let bench: Bench
  const clients: RawClient[] = []

  beforeAll(async () => {
    origin = await startOrigin()
  })
  afterAll(async () => origin.close())
  beforeEach(async () => {
    bench = await startBench({ limits: { silentMs: 400, handshakeMs: 500 } })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy()
    await bench.close()
    expect(bench.errors).toEqual([])
    expect(bench.feed.faults).toEqual([])
  })

  const open = (...parts: Buffer[]) => {
    const client = new RawClient(bench.port)
    clients.push(client)
    client.write(Buffer.concat(parts))
    return client
  }
  const hello = () => [greeting(2), login('alice1', 'secret')]
  const accepted = [5, 2, 1, 0]

  it('may send its handshake in one packet with its payload, or byte by byte', async () => {
    const whole = Buffer.concat([
      greeting(0, 2),
      login('alice1', 'secret'),
      request(v4(127, 0, 0, 1), origin.echoPort),
    ])
    const granted = [...accepted, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    const client = open(whole, Buffer.from('payload'))
    await client.until(() => client.text.endsWith('payload'), 'the echo')
    expect([...client.bytes.subarray(0, -7)]).toEqual(granted)
    const slow = open()
    for (const byte of whole) {
      slow.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await slow.until(() => slow.bytes.length >= granted.length, 'the reply')
    slow.socket.end('half')
    await slow.untilEnd()
    expect([...slow.bytes]).toEqual([...granted, ...Buffer.from('half')])
    client.socket.end()
    await client.untilEnd()
    await bench.gateway.stop({ graceMs: 1000 })
    expect(bench.feed.charged.get(1n)).toBe(2n * 11n)
    expect(bench.feed.requests.get(1n)).toBe(2)
  })

  it('gets the reply of its refusal', async () => {
    const cases: [Buffer[], number[]][] = [
      [[greeting(0)], [5, 0xff]],
      [[greeting(1, 0x80)], [5, 0xff]],
      [[greeting()], [5, 0xff]],
      [
        [greeting(2), login('alice1', 'wrong')],
        [5, 2, 1, 1],
      ],
      [
        [greeting(2), login('', '')],
        [5, 2, 1, 1],
      ],
      [
        [greeting(2), login('a'.repeat(255), 'b'.repeat(255))],
        [5, 2, 1, 1],
      ],
      [
        [greeting(2), login('alice1-colour-us', 'secret')],
        [5, 2, 1, 1],
      ],
      [
        [greeting(2), Buffer.from([5, 1, 0, 1])],
        [5, 2],
      ],
      [
        [...hello(), request(v4(1, 1, 1, 1), 80, 2)],
        [...accepted, 5, 7],
      ],
      [
        [...hello(), request(v4(1, 1, 1, 1), 80, 3)],
        [...accepted, 5, 7],
      ],
      [
        [...hello(), request(v4(1, 1, 1, 1), 80, 9)],
        [...accepted, 5, 7],
      ],
      [
        [...hello(), request(Buffer.from([5, 1, 1]), 80)],
        [...accepted, 5, 8],
      ],
      [
        [...hello(), request(v4(127, 0, 0, 1), 1)],
        [...accepted, 5, 5],
      ],
      [
        [...hello(), request(v4(10, 0, 0, 1), 80)],
        [...accepted, 5, 2],
      ],
      [
        [...hello(), request(v4(1, 1, 1, 1), 25)],
        [...accepted, 5, 2],
      ],
      [
        [...hello(), request(v4(1, 1, 1, 1), 0)],
        [...accepted, 5, 4],
      ],
      [
        [...hello(), request(named(''), 80)],
        [...accepted, 5, 4],
      ],
      [
        [...hello(), request(named('127.0.0.1\0.example'), 80)],
        [...accepted, 5, 4],
      ],
      [
        [...hello(), request(named('a'.repeat(255)), 80)],
        [...accepted, 5, 4],
      ],
      [
        [...hello(), request(named('nowhere.invalid'), 80)],
        [...accepted, 5, 4],
      ],
    ]
    for (const [parts, expected] of cases) {
      const client = open(...parts)
      await client.untilEnd()
      expect([...client.bytes.subarray(0, expected.length)], JSON.stringify(parts)).toEqual(expected)
      // A reply is ten bytes, with an IPv4 address; the other messages are two bytes.
      expect(client.bytes.length).toBe(expected.length === 6 ? 14 : expected.length)
    }
    expect(bench.feed.charged.get(1n) ?? 0n).toBe(0n)
  })

  it('gets reply 02 when blocked or out of traffic', async () => {
    bench.feed.balances.set(1n, 0n)
    const empty = open(...hello(), request(v4(127, 0, 0, 1), origin.echoPort))
    await empty.untilEnd()
    expect([...empty.bytes.subarray(0, 6)]).toEqual([...accepted, 5, 2])
    const account = bench.feed.accounts.get('residential alice1')
    if (account !== undefined) bench.feed.accounts.set('residential alice1', { ...account, blocked: true })
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    const blocked = open(...hello(), request(v4(127, 0, 0, 1), origin.echoPort))
    await blocked.untilEnd()
    expect([...blocked.bytes.subarray(0, 6)]).toEqual([...accepted, 5, 2])
  })

  it('that stays silent during the handshake is closed', async () => {
    for (const parts of [[Buffer.from([5])], [greeting(2)], hello(), [...hello(), Buffer.from([5, 1])]]) {
      await open(...parts).untilEnd(3000)
    }
  })
})
