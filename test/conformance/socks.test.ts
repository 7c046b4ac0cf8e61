import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { forbiddenHosts } from './forbidden.ts'
import { basic } from '../../src/gateway/testing/bench.ts'
import { startTarget, type Talk, Talks } from './talk.ts'
import { startWay, type Way, wayNames } from './ways.ts'

const greeting = (...methods: number[]) => Buffer.from([5, methods.length, ...methods])
const text = (value: string) => Buffer.from([value.length, ...Buffer.from(value, 'latin1')])
const login = (username = 'alice1', password = 'secret') =>
  Buffer.concat([Buffer.from([1]), text(username), text(password)])
const portOf = (port: number) => Buffer.from([port >> 8, port & 255])
const toAddress = (octets: number[], port: number, command = 1) =>
  Buffer.concat([Buffer.from([5, command, 0, 1, ...octets]), portOf(port)])
const toName = (name: string, port: number) =>
  Buffer.concat([Buffer.from([5, 1, 0, 3]), text(name), portOf(port)])
const home = [127, 0, 0, 1]

let origin: Origin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

describe.each(wayNames)('SOCKS5 %s', (name) => {
  let way: Way
  const talks = new Talks(() => way)

  beforeAll(async () => {
    way = await startWay(name)
  })
  afterEach(() => talks.close())
  afterAll(() => way.close())

  const heard = (talk: Talk) => [...talk.client.bytes]
  const until = (talk: Talk, bytes: number) =>
    talk.client.until(() => talk.client.bytes.length >= bytes || talk.over, `${bytes} bytes`)

  /** The bytes received after these messages, once the connection has ended. */
  async function ended(...messages: Buffer[]): Promise<number[]> {
    const talk = await talks.open(Buffer.concat(messages))
    await talk.client.untilEnd()
    return heard(talk)
  }

  /** The reply to a request after a successful login: the connection has ended unless it is 0. */
  async function replyTo(request: Buffer): Promise<number | undefined> {
    const talk = await talks.open(Buffer.concat([greeting(2), login(), request]))
    await until(talk, 14)
    expect(heard(talk).slice(0, 4)).toEqual([5, 2, 1, 0])
    return heard(talk)[5]
  }

  it('K02: accepts names', async () => {
    expect(await replyTo(toName('here.test', origin.echoPort))).toBe(0)
  })

  it('K04, K07: offers without the password method are FF, and the connection ends', async () => {
    for (const methods of [[0], [1], [0x80, 0x81], []])
      expect(await ended(greeting(...methods))).toEqual([5, 0xff])
  })

  it('K05: chooses the password where both no authentication and a password are offered', async () => {
    const talk = await talks.open(greeting(0, 2))
    await until(talk, 2)
    expect(heard(talk)).toEqual([5, 2])
  })

  it('K06, K19, K21, K25: a wrong login is refused, and the connection is closed', async () => {
    for (const wrong of [login('alice1', 'wrong'), login('a'.repeat(255), 'b'.repeat(255))])
      expect(await ended(greeting(2), wrong, toAddress(home, origin.echoPort))).toEqual([5, 2, 1, 1])
    const versioned = Buffer.concat([Buffer.from([5]), login().subarray(1)])
    for (const none of [versioned, toAddress(home, origin.echoPort)])
      expect(await ended(greeting(2), none)).toEqual([5, 2])
  })

  it('K09: SOCKS4 is refused in its own protocol', async () => {
    const four = Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0])
    expect((await ended(four)).slice(0, 2)).toEqual([0, 0x5b])
  })

  it('K10, K12, K13: other commands are 07, other kinds of addresses 08', async () => {
    for (const command of [2, 3, 9]) expect(await replyTo(toAddress(home, origin.echoPort, command))).toBe(7)
    expect(await replyTo(Buffer.from([5, 1, 0, 5, 1, 2, 3, 4, 0, 80]))).toBe(8)
  })

  it('K14: a closed port is 05', async () => {
    const gone = await startTarget('')
    gone.close()
    expect(await replyTo(toAddress(home, gone.port))).toBe(5)
  })

  it('K17, K24: the handshake may come byte by byte, and every reply has its exact length', async () => {
    const talk = await talks.open()
    for (const byte of Buffer.concat([greeting(2), login(), toAddress(home, origin.echoPort)])) {
      talk.say(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(talk, 14)
    talk.line.socket.end('x')
    await talk.client.untilEnd()
    expect(heard(talk)).toEqual([5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x78])
    const refused = await ended(greeting(2), login(), toAddress(home, origin.echoPort, 2))
    expect(refused).toEqual([5, 2, 1, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0])
  })

  it('K18: the handshake and the payload may come in one packet', async () => {
    const whole = [greeting(2), login(), toAddress(home, origin.echoPort), Buffer.from('payload')]
    const talk = await talks.open(Buffer.concat(whole))
    await talk.client.until(() => talk.client.text.endsWith('payload'), 'the echo')
  })

  it('K22, K23: invalid names are refused without a connection', async () => {
    const made = origin.made()
    for (const host of ['', 'a'.repeat(255), '127.0.0.1\0.x', 'here.test\0', '\0', 'a b', '127.0.0.1 '])
      expect([1, 2, 4, 8]).toContain(await replyTo(toName(host, origin.echoPort)))
    expect(origin.made()).toBe(made)
  })

  it('K26, F03: the ports of mail, and forbidden addresses in every spelling, are refused without a connection', async () => {
    const made = origin.made()
    for (const port of [25, 465, 587]) expect(await replyTo(toAddress([1, 1, 1, 1], port))).toBe(2)
    for (const host of forbiddenHosts) {
      const reply = await replyTo(toName(host.replaceAll(/[[\]]/g, ''), origin.httpPort))
      expect(`${host} ${reply}`).toMatch(/ [24]$/)
    }
    expect(origin.made()).toBe(made)
  })

  it('K30: the same port serves HTTP, and a broken TLS handshake ends immediately', async () => {
    const ask = `GET http://127.0.0.1:${origin.httpPort}/bytes/1 HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`
    expect((await talks.ask(ask)).status).toBe(200)
    expect(await ended(Buffer.from('\x16\x03\x01\x00\x05nonsense and more of it', 'latin1'))).not.toContain(5)
  })
})
