/** Names of targets, through a whole gateway and a real name server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { startOrigin, type Origin } from '#test/origin'
import { type GatewayOptions, parseAllow } from './gateway.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'
import type { RawClient } from './testing/client.ts'
import { type Answering, type NameReply, NameServer } from './testing/name.server.ts'
import { answersOf, namesFrom, times } from './testing/names.ts'
import { type FakeUpstream, startUpstream } from './testing/proxy.ts'
import type { ResolverOptions } from './targets/resolver.ts'

let origin: Origin
let memory: MemoryFeed
let bench: Bench
let server: NameServer
let upstream: FakeUpstream | null

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
beforeEach(() => {
  upstream = null
  memory = new MemoryFeed()
  for (const login of ['alice1', 'bobby1']) memory.addAccount(login, 'secret', 1_000_000_000n)
})
afterEach(async () => {
  await bench.close()
  await upstream?.close()
  expect(bench.errors).toEqual([])
  expect(memory.faults).toEqual([])
})

/** Every name is 127.0.0.1, except those that end in `.dead`, which are never answered. */
const usual: Answering = (question) =>
  question.name.endsWith('.dead') ? null : answersOf(() => ['127.0.0.1'])(question)

interface Parts {
  answering?: Answering
  exit?: Partial<FeedExit>
  names?: ResolverOptions
  options?: Partial<GatewayOptions>
}

async function start({ answering = usual, exit = {}, names = {}, options = {} }: Parts = {}): Promise<void> {
  server = await NameServer.start(answering)
  memory.addExit('residential', exit)
  bench = await startBench({ memory, names: namesFrom(server, names), ...options })
}

/** Another proxy as the exit, known by a name. */
async function startChained(kind: 'http' | 'socks5', parts: Parts = {}): Promise<void> {
  upstream = await startUpstream({ kind })
  await start({ ...parts, exit: { kind, host: 'exit.test', port: upstream.port, ...parts.exit } })
}

const connect = (host: string, login = 'alice1') =>
  bench.say(`CONNECT ${host}:${origin.echoPort} HTTP/1.1\r\n${basic(login)}\r\n`)

async function headOf(client: RawClient): Promise<string> {
  await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
  return client.text
}

const answerTo = (host: string, login?: string) => headOf(connect(host, login))

function socks(host: string, login = 'alice1'): RawClient {
  const request = Buffer.from([5, 1, 0, 3, host.length, ...Buffer.from(host), 0, 0])
  request.writeUInt16BE(origin.echoPort, request.length - 2)
  const client = bench.say(`\x05\x01\x02\x01\x06${login}\x06secret`)
  client.write(request)
  return client
}

async function replyTo(host: string): Promise<number | undefined> {
  const client = socks(host)
  await client.until(() => client.bytes.length >= 6, 'a reply')
  return client.bytes[5]
}

const figures = () => bench.gateway.stats().names

describe('names that are never answered', () => {
  /** Dead names of one customer: as many as it may look up concurrently wait, the rest is refused. */
  async function attack(): Promise<RawClient[]> {
    const dead = times(600, (index) => connect(`n${index}.dead`))
    const isRefused = (client: RawClient) => client.text.startsWith('HTTP/1.1 429 ')
    await dead[599]?.until(() => dead.filter(isRefused).length === 344, 'the refusals')
    return dead.filter((client) => !isRefused(client))
  }

  const isStillWaiting = (dead: RawClient[]) =>
    dead.length === 256 && dead.every(({ text }) => text === '') && figures().outstanding > 0

  it('of one customer delay no other', async () => {
    await start()
    const dead = await attack()
    for (const index of times(5, (one) => one))
      expect(await answerTo(`fine${index}.test`, 'bobby1')).toMatch(/^HTTP\/1.1 200 /)
    const other = socks('fine.test', 'bobby1')
    await other.until(() => other.bytes[5] === 0, 'a granted request')
    expect(isStillWaiting(dead)).toBe(true)
  })

  it.each(['http', 'socks5'] as const)('delay no other customer over an exit of %s either', async (kind) => {
    await startChained(kind)
    const dead = await attack()
    expect(await answerTo('127.0.0.1', 'bobby1')).toMatch(/^HTTP\/1.1 200 /)
    expect(await answerTo('fine.test', 'bobby1')).toMatch(/^HTTP\/1.1 200 /)
    expect(isStillWaiting(dead)).toBe(true)
  })

  it('delay no exit whose name is being looked up', async () => {
    const answering: Answering = (question) => {
      const reply = usual(question)
      return reply !== null && question.name === 'other.exit.test' ? { ...reply, delayMs: 200 } : reply
    }
    await startChained('http', { answering })
    const dead = await attack()
    // The only exit from now on.
    memory.exitList.splice(0)
    memory.addExit('residential', { kind: 'http', host: 'other.exit.test', port: upstream?.port ?? 0 })
    memory.emit({ type: 'exits_changed' })
    await dead[0]?.until(() => server.count('other.exit.test', 'A') > 0, 'the question for the new exit')
    const literal = answerTo('127.0.0.1', 'bobby1')
    const named = answerTo('fine.test', 'bobby1')
    expect(await literal).toMatch(/^HTTP\/1.1 200 /)
    expect(await named).toMatch(/^HTTP\/1.1 200 /)
    expect(server.count('other.exit.test', 'A')).toBe(1)
    expect(isStillWaiting(dead)).toBe(true)
  })
})

describe('no name is looked up', () => {
  const nothingAsked = () => expect(server.asked.filter(({ name }) => name !== 'exit.test')).toEqual([])

  it('for a customer without traffic, over any protocol', async () => {
    memory.addAccount('empty1', 'secret', 0n)
    await startChained('http')
    expect(await answerTo('a.test', 'empty1')).toMatch(/^HTTP\/1.1 402 .*no_traffic/s)
    const plain = bench.say(`GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\n${basic('empty1')}\r\n`)
    expect(await headOf(plain)).toMatch(/^HTTP\/1.1 402 /)
    const tunnel = socks('c.test', 'empty1')
    await tunnel.until(() => tunnel.bytes.length >= 6, 'a reply')
    nothingAsked()
  })

  it('that the customer’s limits, the operator or the port forbid', async () => {
    const account = memory.accounts.get('residential alice1')
    if (account === undefined) throw new Error('there is no account')
    account.limits = { connections: null, allowed_hosts: [], denied_hosts: ['bad.test'], data_saver: false }
    await start({ options: { refusePorts: [origin.httpPort] } })
    expect(await answerTo('bad.test')).toMatch(/^HTTP\/1.1 403 .*target_denied/s)
    const port = `CONNECT a.test:${origin.httpPort} HTTP/1.1\r\n${basic()}\r\n`
    expect(await headOf(bench.say(port))).toMatch(/^HTTP\/1.1 403 .*port_forbidden/s)
    nothingAsked()
  })

  it('for a customer at the limit of connections', async () => {
    const account = memory.accounts.get('residential alice1')
    if (account === undefined) throw new Error('there is no account')
    account.limits = { connections: 1, allowed_hosts: [], denied_hosts: [], data_saver: false }
    await start()
    expect(await answerTo('127.0.0.1')).toMatch(/^HTTP\/1.1 200 /)
    expect(await answerTo('a.test')).toMatch(/^HTTP\/1.1 429 /)
    nothingAsked()
  })

  it('of one label, unless an exception names it', async () => {
    await start({ options: { allow: parseAllow('inside') } })
    expect(await answerTo('intranet')).toMatch(/^HTTP\/1.1 502 .*dns_error/s)
    nothingAsked()
    expect(await answerTo('inside')).toMatch(/^HTTP\/1.1 200 /)
    expect(server.count('inside', 'A')).toBe(1)
  })
})

describe('the answer for a name', () => {
  const denials: Readonly<Record<string, NameReply>> = {
    'nowhere.test': { rcode: 3 },
    'empty.test': {},
    'broken.test': { rcode: 2 },
  }

  it.each([
    ['that does not exist', 'nowhere.test', 502, 'dns_error'],
    ['without addresses', 'empty.test', 502, 'dns_error'],
    ['that the name servers fail on', 'broken.test', 502, 'dns_error'],
    ['that is not answered', 'slow.dead', 504, 'dns_timeout'],
  ])('%s', async (_what, host, status, code) => {
    const answering: Answering = (question) => denials[question.name] ?? usual(question)
    await start({ answering, names: { deadlineMs: 500 } })
    const text = await answerTo(host)
    expect(text).toMatch(
      new RegExp(`^HTTP/1.1 ${status} .*Proxy-Status: turnpike; error=${code};.*${code}: `, 's'),
    )
    expect(text).not.toContain('Retry-After')
    expect(await replyTo(host)).toBe(4)
  })

  it('when the customer looks up too many, and when all customers together do', async () => {
    await start({ names: { lookupsPerAccount: 2 } })
    const dead = times(2, (index) => connect(`n${index}.dead`))
    await dead[0]?.until(() => figures().outstanding === 4, 'the questions')
    expect(await answerTo('one.test')).toMatch(/^HTTP\/1.1 429 .*Retry-After: 1\r\n.*too_many_lookups/s)
    expect(await replyTo('one.test')).toBe(2)
    expect(await answerTo('one.test', 'bobby1')).toMatch(/^HTTP\/1.1 200 /)
    // What is in the cache needs no lookup.
    expect(await answerTo('one.test')).toMatch(/^HTTP\/1.1 200 /)
    await bench.close()
    await start({ names: { mostWaiting: 0 } })
    expect(await answerTo('one.test')).toMatch(/^HTTP\/1.1 503 .*Retry-After: 1\r\n.*lookups_full/s)
    expect(await replyTo('one.test')).toBe(1)
  })

  it('when the proxy users of a customer look up too many together', async () => {
    const [first, second] = times(2, (index) => memory.addAccount(`user${index}.x`, 'secret', 1_000_000_000n))
    if (first === undefined || second === undefined) throw new Error('there are no proxy users')
    second.owner = first.owner
    await start({ names: { lookupsPerAccount: 2 } })
    const dead = [connect('n0.dead', first.login), connect('n1.dead', second.login)]
    await dead[0]?.until(() => figures().outstanding === 4, 'the questions')
    expect(await answerTo('one.test', second.login)).toMatch(/^HTTP\/1.1 429 .*too_many_lookups/s)
    expect(await answerTo('one.test', 'bobby1')).toMatch(/^HTTP\/1.1 200 /)
  })

  it('is dropped for a client that closed, and its slot is free', async () => {
    await start({ names: { lookupsPerAccount: 1 } })
    const dead = connect('n.dead')
    await dead.until(() => figures().outstanding === 2, 'the questions')
    expect(await answerTo('one.test')).toMatch(/^HTTP\/1.1 429 /)
    dead.socket.resetAndDestroy()
    await dead.until(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the lookup')
    expect(figures().errors['aborted']).toBe(1)
    expect(await answerTo('one.test')).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('the address that is dialled', () => {
  /** A different answer to each question. */
  const rebinding =
    (...answers: string[][]): Answering =>
    (question) => {
      if (question.type !== 1 || question.name !== 'turns.test') return usual(question)
      return { addresses: answers.shift() ?? ['10.0.0.1'], ttlSeconds: 0 }
    }

  it.each([
    ['directly', null],
    ['over an exit of http', 'http'],
    ['over an exit of socks5', 'socks5'],
  ] as const)('is the one that was judged, %s, without a second question', async (_way, kind) => {
    const answering = rebinding(['127.0.0.1'], ['127.0.0.2'])
    if (kind === null) await start({ answering })
    else await startChained(kind, { answering })
    const client = connect('turns.test')
    expect(await headOf(client)).toMatch(/^HTTP\/1.1 200 /)
    expect(server.count('turns.test', 'A')).toBe(1)
    const asked = upstream?.seen.map(({ host }) => host)
    expect(asked ?? ['127.0.0.1']).toEqual(['127.0.0.1'])
    // The answer is used for its time to live, and at least for some seconds.
    expect(await answerTo('turns.test')).toMatch(/^HTTP\/1.1 200 /)
    expect(server.count('turns.test', 'A')).toBe(1)
  })

  it('is private in no answer, not even beside others', async () => {
    await start({ answering: rebinding(['127.0.0.1', '10.0.0.7']) })
    const made = origin.made()
    expect(await answerTo('turns.test')).toMatch(/^HTTP\/1.1 403 .*target_forbidden/s)
    expect(await replyTo('turns.test')).toBe(2)
    expect(origin.made()).toBe(made)
  })

  it('is of a family that the exits have; others are not looked up', async () => {
    await start({ exit: { bind_address: '127.0.0.1' } })
    expect(await answerTo('four.test')).toMatch(/^HTTP\/1.1 200 /)
    expect([server.count('four.test', 'A'), server.count('four.test', 'AAAA')]).toEqual([1, 0])
  })
})

it('lookups are counted', async () => {
  await start()
  for (const host of ['a.test', 'a.test', 'b.test']) await answerTo(host)
  expect(figures()).toMatchObject({ total: { asked: 2, hit: 1 }, outstanding: 0, queued: 0, entries: 4 })
})
