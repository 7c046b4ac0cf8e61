import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Origin, pattern, startOrigin } from '#test/origin'
import { eventually } from '#test/eventually'
import { basic } from '../../src/gateway/testing/bench.ts'
import { forbiddenHosts } from './forbidden.ts'
import { connectHead, fieldsOf, startTarget, Talks, withTarget } from './talk.ts'
import { startWay, type Way, wayNames } from './ways.ts'

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let origin: Origin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

describe.each(wayNames)('CONNECT %s', (name) => {
  let way: Way
  const talks = new Talks(() => way)
  const echo = () => `127.0.0.1:${origin.echoPort}`

  beforeAll(async () => {
    way = await startWay(name)
  })
  afterEach(() => talks.close())
  afterAll(() => way.close())

  it('C02, C03: missing credentials are 407 with a challenge, and the same connection may retry', async () => {
    const talk = await talks.open(connectHead(echo(), ''))
    const refused = await talk.answer()
    expect(refused.status).toBe(407)
    expect(fieldsOf(refused.head, 'Proxy-Authenticate')).toEqual([expect.stringMatching(/^Basic realm=/)])
    talk.say(connectHead(echo()))
    expect((await talk.answer('CONNECT')).status).toBe(200)
  })

  it('C04: a wrong password is 407', async () => {
    expect((await talks.ask(connectHead(echo(), basic('alice1', 'wrong')))).status).toBe(407)
  })

  it('C05, C18: bytes right after the head reach the target, also in the form of HTTP/1.0', async () => {
    const talk = await talks.open(`CONNECT ${echo()} HTTP/1.0\r\n${basic()}\r\nearly`)
    expect((await talk.answer('CONNECT')).status).toBe(200)
    await talk.client.until(() => talk.rest === 'early', 'the echo')
  })

  it('C07: a closed port is 502, 503 or 504', async () => {
    const gone = await startTarget('')
    gone.close()
    expect([502, 503, 504]).toContain((await talks.ask(connectHead(`127.0.0.1:${gone.port}`))).status)
  })

  it('C10: a client that half-closed still receives late data', async () => {
    const talk = await talks.tunnel(origin.echoPort)
    talk.line.socket.end('!late\n')
    await talk.client.untilEnd()
    expect(talk.rest).toBe('late')
  })

  it('C11: a target that closes delivers all of its data, then the end', async () => {
    const data = pattern(1_000_000)
    await withTarget(
      (socket) => void socket.end(data),
      async (target) => {
        const talk = await talks.tunnel(target.port)
        talk.say('go')
        await talk.client.untilEnd()
        expect(sha(Buffer.from(talk.rest, 'latin1'))).toBe(sha(data))
      },
    )
  })

  it('C12: a target that resets ends the tunnel', async () => {
    const talk = await talks.tunnel(origin.echoPort)
    talk.say('!reset\n')
    await talk.client.until(() => talk.client.closed || talk.client.ended, 'the end', 3000)
    expect(talk.rest).toBe('')
  })

  it('C13: a client that resets ends the connection to the target', async () => {
    const talk = await talks.tunnel(origin.echoPort)
    talk.say('hello')
    await talk.client.until(() => talk.rest === 'hello', 'the echo')
    const before = origin.open()
    talk.line.reset()
    await eventually(() => origin.open() < before, 'the target to be let go')
  })

  it('C14, T01: ten megabytes in both directions concurrently arrive unchanged, and the 200 has no framing', async () => {
    const talk = await talks.open(connectHead(echo()))
    const { head } = await talk.answer('CONNECT')
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(head).not.toMatch(/\r\n(content-length|transfer-encoding):/i)
    const data = pattern(10_000_000)
    talk.line.socket.end(data)
    await talk.client.untilEnd(20_000)
    expect(sha(Buffer.from(talk.rest, 'latin1'))).toBe(sha(data))
  })

  it('C17: a hundred concurrent tunnels each receive their own data', async () => {
    const heard = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const talk = await talks.tunnel(origin.echoPort)
        talk.line.socket.end(`token ${index}`)
        await talk.client.untilEnd()
        return talk.rest
      }),
    )
    expect(heard).toEqual(Array.from({ length: 100 }, (_, index) => `token ${index}`))
  })

  it('C20, F01: the ports of mail and forbidden addresses, in every spelling, are refused without a connection', async () => {
    for (const port of [25, 465, 587]) {
      const { status, head } = await talks.ask(connectHead(`1.1.1.1:${port}`))
      expect([port, status, head.includes('port_forbidden')]).toEqual([port, 403, true])
    }
    const made = origin.made()
    for (const host of forbiddenHosts) {
      const { status } = await talks.ask(connectHead(`${host}:${origin.httpPort}`))
      expect(`${host} ${status}`).toMatch(/ 40[03]$/)
    }
    expect(origin.made()).toBe(made)
  })
})

describe('A02: three hundred wrong passwords in a row', () => {
  let way: Way
  const talks = new Talks(() => way)
  beforeAll(async () => {
    way = await startWay('over the bare connection')
  })
  afterEach(() => talks.close())
  afterAll(() => way.close())

  it('are 407, then 429 with Retry-After; credentials that were right from there before are still admitted', async () => {
    const right = connectHead(`127.0.0.1:${origin.echoPort}`)
    const wrong = connectHead(`127.0.0.1:${origin.echoPort}`, `Connection: close\r\n${basic('alice1', 'no')}`)
    expect((await talks.ask(right, 'CONNECT')).status).toBe(200)
    const statuses: number[] = []
    for (let count = 0; count < 300; count++) {
      const { status, head } = await talks.ask(wrong)
      statuses.push(status)
      if (status === 429) expect(fieldsOf(head, 'Retry-After')).toEqual([expect.stringMatching(/^\d+$/)])
    }
    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([407]))
    expect(new Set(statuses.slice(30))).toEqual(new Set([429]))
    expect((await talks.ask(right, 'CONNECT')).status).toBe(200)
  })
})
