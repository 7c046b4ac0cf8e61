import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { presets } from '#exits/presets'
import { anywhere } from '#proxies/grammar'
import { startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { Probes } from './probes.ts'
import { HealthTracker } from './health.ts'
import { exitFailure } from './failure.ts'
import { Exits } from './exits.ts'
import type { FeedExit } from '#feed'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { staticNames } from '../testing/names.ts'
import { MemoryFeed } from '#feed/testing'
import { RawClient } from '../testing/client.ts'
import { httpAnswer, socksReply, startUpstream, type Answer, type FakeUpstream } from '../testing/proxy.ts'

let origin: Origin
let bench: Bench
let upstreams: FakeUpstream[] = []
let clients: RawClient[] = []

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
beforeEach(async () => {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000n)
  bench = await startBench({ memory, limits: { exitMs: 300, exitsMs: 2000 } })
})
afterEach(async () => {
  for (const client of clients) client.destroy()
  await bench.close()
  await Promise.all(upstreams.map((upstream) => upstream.close()))
  upstreams = []
  clients = []
  expect(bench.errors).toEqual([])
})

/** Exits that are fake proxies, the first one with by far the largest weight. */
async function leaveBy(
  ...answers: (Answer | { answer: Answer; parts: Partial<FeedExit>; kind?: 'socks5' })[]
) {
  const made: FakeUpstream[] = []
  for (const [index, given] of answers.entries()) {
    const {
      answer,
      parts = {},
      kind = 'http',
    } = typeof given === 'string' || Buffer.isBuffer(given) ? { answer: given } : given
    const upstream = await startUpstream({ kind, answer: () => answer })
    made.push(upstream)
    const { port } = upstream
    // The weights, a thousand million to one, make the order deterministic.
    const weight = 10 ** (9 * (answers.length - 1 - index))
    bench.feed.addExit('residential', { kind, host: '127.0.0.1', port, weight, ...parts })
  }
  upstreams.push(...made)
  await refresh()
  return made
}

async function refresh(): Promise<void> {
  const before = bench.feed.exitsAsked
  bench.feed.emit({ type: 'exits_changed' })
  await eventually(() => bench.feed.exitsAsked > before, 'the exits to be asked for')
  await new Promise((resolve) => setImmediate(resolve))
}

async function ask(line = 'alice1', port = origin.echoPort): Promise<RawClient> {
  const client = new RawClient(bench.port)
  clients.push(client)
  client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n${basic(line)}\r\n`)
  await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
  return client
}
const statusOf = async (line?: string, port?: number) => Number((await ask(line, port)).text.slice(9, 12))
const made = (list: FakeUpstream[]) => list.map((upstream) => upstream.made())

describe('when an exit fails before the first byte', () => {
  const failures: [string, Answer][] = [
    ['its login is refused', httpAnswer('407 Proxy Authentication Required')],
    ['it has no traffic', httpAnswer('402 Payment Required')],
    ['it has no room', httpAnswer('429 Too Many Requests')],
    ['it does not serve the target', httpAnswer('403 Forbidden')],
    ['it fails', httpAnswer('502 Bad Gateway')],
    ['it closes', 'close'],
    ['it is silent', 'hang'],
    ['it speaks nonsense', Buffer.from('nonsense\r\n\r\n')],
  ]
  it.each(failures)('because %s, the next one is used', async (_why, answer) => {
    const list = await leaveBy(answer, 'connect')
    const client = await ask()
    expect(client.text).toMatch(/^HTTP\/1.1 200 /)
    client.write('hello')
    await client.until(() => client.text.endsWith('hello'), 'the echo')
    expect(made(list)).toEqual([1, 1])
  })

  it('because it is unreachable, the next one is used', async () => {
    const [gone] = await leaveBy('connect', 'connect')
    await gone?.close()
    expect(await statusOf()).toBe(200)
  })

  it.each([
    ['it refuses', httpAnswer('503 Service Unavailable', ['X-Squid-Error: ERR_CONNECT_FAIL 111']), 502],
    ['its name is unknown', httpAnswer('502 Bad Gateway', ['Proxy-Status: them; error=dns_error']), 502],
    ['proxy-chain says so', httpAnswer('594 Connection Refused'), 502],
  ])('because of the target (%s), no other exit is tried', async (_why, answer, status) => {
    const list = await leaveBy(answer, 'connect')
    expect(await statusOf()).toBe(status)
    expect(made(list)).toEqual([1, 0])
  })

  it('at most three are tried, and the most significant failure is returned', async () => {
    const list = await leaveBy('close', httpAnswer('403 Forbidden'), httpAnswer('407 No'), 'connect')
    const client = await ask()
    expect(client.text).toMatch(/^HTTP\/1.1 403 /)
    expect(client.text).toContain('target_refused_by_exit')
    expect(made(list)).toEqual([1, 1, 1, 0])
  })
})

describe('an exit that fails for every customer', () => {
  it('is not used after its failures, and used again when the operator has changed it', async () => {
    const list = await leaveBy(httpAnswer('407 No'), 'connect')
    for (let index = 0; index < 5; index++) expect(await statusOf()).toBe(200)
    expect(list[0]?.made()).toBe(1)
    const [exit] = bench.feed.exitList
    if (exit === undefined || list[0] === undefined) throw new Error('no exit')
    list[0].answer = () => 'connect'
    bench.feed.exitList[0] = { ...exit, username: 'new', password: 'new' }
    await refresh()
    expect(await statusOf()).toBe(200)
    expect(list[0].seen.at(-1)?.username).toBe('new')
  })

  it('causes a refusal when it is the only one', async () => {
    await leaveBy(httpAnswer('402 Payment Required'))
    expect((await ask()).text).toMatch(/^HTTP\/1.1 503 [\s\S]*exit_exhausted/)
    expect((await ask()).text).toMatch(/^HTTP\/1.1 503 [\s\S]*exits_down[\s\S]*Retry-After/)
  })

  it('is not caused by a customer whose targets fail', async () => {
    const list = await leaveBy(httpAnswer('504 Gateway Timeout'))
    for (let index = 0; index < 12; index++) expect(await statusOf()).toBe(504)
    expect(list[0]?.made()).toBe(12)
  })

  it('is detected when other exits reach a target that it does not', async () => {
    const list = await leaveBy(httpAnswer('502 Bad Gateway'), 'connect')
    for (let index = 0; index < 6; index++) expect(await statusOf()).toBe(200)
    expect(made(list)).toEqual([3, 6])
  })
})

describe('the limit of an exit', () => {
  it('moves further connections to other exits, and frees a slot when a tunnel ends', async () => {
    const list = await leaveBy({ answer: 'connect', parts: { max_connections: 2 } }, 'connect')
    const first = await ask()
    for (let index = 0; index < 3; index++) await ask()
    expect(made(list)).toEqual([2, 2])
    first.destroy()
    await eventually(() => list[0]?.open() === 1, 'the first tunnel to end')
    expect(await statusOf()).toBe(200)
    expect(made(list)).toEqual([3, 2])
  })

  it('is reported when there is no other exit', async () => {
    await leaveBy({ answer: 'connect', parts: { max_connections: 1 } })
    await ask()
    expect((await ask()).text).toMatch(/^HTTP\/1.1 503 [\s\S]*exits_full/)
  })
})

describe('the session of a customer', () => {
  it('moves to its next exit while its own fails, and moves back when that works again', async () => {
    let now = 0
    const health = new HealthTracker({ now: () => now })
    const feed = new MemoryFeed()
    for (let index = 0; index < 8; index++) feed.addExit()
    const exits = new Exits({
      feed,
      names: staticNames(() => undefined),
      health,
      onFault() {},
      clock: () => 1_000_000,
    })
    await exits.refresh()
    const targeting = (sid: string) => ({ ...anywhere(), session: sid, ttlMinutes: 60 })
    const wellFor = (sid: string) =>
      [...exits.candidates({ access: 1n, pool: 'residential' }, targeting(sid))].find(
        ({ exit }) => health.state(exit.id) === 'closed',
      )?.exit.id
    const sids = Array.from({ length: 200 }, (_, index) => `s${index}`)
    const before = sids.map(wellFor)
    for (let index = 0; index < 3; index++) health.note(3n, { what: 'down', lasting: false })
    const during = sids.map(wellFor)
    before.forEach((id, index) => {
      if (id === 3n) expect(during[index]).not.toBe(3n)
      else expect(during[index]).toBe(id)
    })
    // The moved sessions are spread over all other exits.
    expect(new Set(during.filter((_, index) => before[index] === 3n)).size).toBeGreaterThan(3)
    now += 5000
    health.note(3n, { latencyMs: 1 })
    expect(sids.map(wellFor)).toEqual(before)
    exits.stop()
  })

  it('keeps the same login at the same seller for its minutes; a rotating line gets a new one for each connection', async () => {
    const [upstream] = await leaveBy({
      answer: 'connect',
      parts: { preset: 'oxylabs', username: 'customer-shop', password: 'x' },
    })
    for (const line of ['alice1-cc-de-sid-a', 'alice1-cc-de-sid-a', 'alice1-cc-de-sid-b', 'alice1-cc-de'])
      await ask(line)
    const names = upstream?.seen.map(({ username }) => username) ?? []
    expect(names[0]).toMatch(/^customer-shop-cc-DE-sessid-[a-z0-9]{16}-sesstime-10$/)
    expect(names[1]).toBe(names[0])
    expect(names[2]).not.toBe(names[0])
    expect(names[3]).toBe('customer-shop-cc-DE')
  })
})

describe('an exit that cannot express the targeting', () => {
  it('is not used: 503, and no exit is contacted', async () => {
    const list = await leaveBy({
      answer: 'connect',
      parts: { preset: 'oxylabs', username: 'customer-shop', password: 'x' },
    })
    for (const line of ['alice1-cc-us-zip-10001', 'alice1-cc-us-asn-7922', 'alice1-cc-us-sid-a-ttl-2000'])
      expect((await ask(line)).text).toMatch(/^HTTP\/1.1 503 [\s\S]*no_exit/)
    expect(list[0]?.made()).toBe(0)
    const client = await ask('alice1-cc-us.de')
    expect(client.text).toMatch(/^HTTP\/1.1 200 [\s\S]*X-Turnpike-Country: (us|de)\r\n/)
  })

  it('is used only for places it has', async () => {
    const places = [
      { country: 'us', state: null, city: null, zip: null, asn: null },
      { country: 'de', state: null, city: null, zip: null, asn: null },
    ]
    const [upstream] = await leaveBy({
      answer: 'connect',
      parts: { preset: 'dataimpulse', username: 'abc', password: 'x', places },
    })
    for (let index = 0; index < 12; index++) expect(await statusOf()).toBe(200)
    expect(new Set(upstream?.seen.map(({ username }) => username))).toEqual(
      new Set(['abc__cr.us', 'abc__cr.de']),
    )
    expect(await statusOf('alice1-cc-fr.us')).toBe(200)
    expect(upstream?.seen.at(-1)?.username).toBe('abc__cr.us')
    expect(await statusOf('alice1-cc-fr')).toBe(503)
  })
})

describe('the refusals of sellers', () => {
  const words: [preset: string, answer: Buffer, status: number, code: string, word: string | null][] = [
    ['dataimpulse', httpAnswer('407 TRAFFIC_EXHAUSTED'), 503, 'exit_exhausted', 'TRAFFIC_EXHAUSTED'],
    ['dataimpulse', httpAnswer('407 THREADS_EXHAUSTED'), 503, 'exit_busy', 'THREADS_EXHAUSTED'],
    ['dataimpulse', httpAnswer('407 NO_USER'), 502, 'exit_refused', 'NO_USER'],
    [
      'dataimpulse',
      httpAnswer('403 SITE_PERMANENTLY_BLOCKED'),
      403,
      'target_refused_by_exit',
      'SITE_PERMANENTLY_BLOCKED',
    ],
    ['dataimpulse', httpAnswer('400 NO_RAY'), 503, 'no_address', 'NO_RAY'],
    ['dataimpulse', httpAnswer('502 NO_HOST_CONNECTION'), 502, 'target_unreachable', 'NO_HOST_CONNECTION'],
    [
      'oxylabs',
      httpAnswer('407 Proxy Authentication Required', ['X-Error-Description: traffic limit reached']),
      503,
      'exit_exhausted',
      'traffic',
    ],
    ['oxylabs', httpAnswer('407 Proxy Authentication Required'), 502, 'exit_refused', null],
    ['oxylabs', httpAnswer('525 No exit found'), 503, 'no_address', null],
    ['oxylabs', httpAnswer('522 Timeout'), 502, 'target_unreachable', null],
    [
      'soax',
      httpAnswer('400 Bad Request', ['X-SOAX-Error: ERR_UNKNOWN_PARAM']),
      502,
      'exit_misunderstood',
      'ERR_UNKNOWN_PARAM',
    ],
    [
      'soax',
      httpAnswer('407 Unauthorized', ['X-SOAX-Error: AUTH_FAILED']),
      502,
      'exit_refused',
      'AUTH_FAILED',
    ],
    [
      'bright_data',
      httpAnswer('502 Bad Gateway', ['x-brd-err-code: client_10060']),
      502,
      'exit_misunderstood',
      'client_10060',
    ],
    [
      'bright_data',
      httpAnswer('400 Bad Request', [
        'Proxy-Status: brd; received-status=400; error=destination_ip_unroutable',
      ]),
      502,
      'target_unreachable',
      'destination_ip_unroutable',
    ],
    ['nodemaven', httpAnswer('406 Not Acceptable'), 503, 'no_address', null],
    ['nodemaven', httpAnswer('500 Internal Server Error'), 503, 'no_address', null],
    [
      'thordata',
      httpAnswer('400 Bad Request', ['X-thor-error-code: client_101']),
      502,
      'exit_misunderstood',
      'client_101',
    ],
  ]
  it.each(words)('%s: %s is answered as %i %s', async (preset, answer, status, code, word) => {
    const example = presets.find(({ name }) => name === preset)?.username?.example ?? null
    await leaveBy({ answer, parts: { preset, username: example, password: 'x' } })
    const { text } = await ask('alice1-cc-us')
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(text).toContain(`\r\n\r\n${code}: `)
    const received = /^HTTP\/1.1 (\d+)/.exec(answer.toString())?.[1]
    expect(text).toContain(`received-status=${received}; details="${code}: `)
    if (word !== null) expect(text).toContain(`(exit: ${word})"`)
  })

  it('are kept in the request’s record for its customer', async () => {
    const answer = httpAnswer('403 SITE_PERMANENTLY_BLOCKED')
    await leaveBy({ answer, parts: { preset: 'dataimpulse' } })
    expect(await statusOf()).toBe(403)
    const records = () => bench.feed.records.flatMap((batch) => batch.records)
    await eventually(() => records().length > 0, 'the record')
    expect(records()[0]).toMatchObject({
      outcome: 'refused',
      code: 'target_refused_by_exit',
      exit_status: 403,
      exit_word: 'SITE_PERMANENTLY_BLOCKED',
      charged_up_bytes: 0n,
      charged_down_bytes: 0n,
    })
  })

  it('of a login cause no 407 towards the customer, for any seller, and always an answer', async () => {
    for (const preset of presets) {
      bench.feed.exitList = []
      const parts = { preset: preset.name, username: preset.username?.example ?? null, password: 'x' }
      for (const status of [
        '400 Bad Request',
        '402 Payment Required',
        '403 Forbidden',
        '407 No',
        '429 Many',
        '500 Oh',
        '502 Oh',
        '503 Oh',
      ]) {
        bench.feed.exitList = []
        await leaveBy({ answer: httpAnswer(status), parts })
        expect(await statusOf('alice1-cc-us'), `${preset.name} ${status}`).toBeOneOf([403, 502, 503])
      }
    }
  }, 60_000)

  it('over SOCKS5 are converted to replies', async () => {
    await leaveBy({ answer: socksReply(2), kind: 'socks5', parts: {} })
    expect((await ask()).text).toContain('(exit: not_allowed)')
  })
})

describe('health checks', () => {
  const chained = { kind: 'http', host: '127.0.0.1', port: 1, probe_target: 'probe.test:443' } as const

  async function probing(parts: Partial<FeedExit>, afterMs?: number | null) {
    let now = 0
    const feed = new MemoryFeed()
    feed.addExit('residential', parts)
    const exits = new Exits({
      feed,
      names: staticNames(() => undefined),
      health: new HealthTracker({ now: () => now }),
      onFault() {},
    })
    await exits.refresh()
    const asked: string[] = []
    const outcome: { fault: Error | null } = { fault: null }
    const probes = new Probes({
      exits,
      rules: { allow: [], refusePorts: [], names: { resolve: async () => ({ addresses: [] }) } },
      onFailure: () => undefined,
      now: () => now,
      afterMs,
      check: async (exit) => {
        asked.push(exit.name)
        if (outcome.fault !== null) throw outcome.fault
      },
    })
    const tick = async (ms: number) => {
      now += ms
      probes.tick()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { exits, probes, asked, outcome, tick, state: () => exits.health.state(1n) }
  }

  it('check exits without recent connections, and no direct ones', async () => {
    const { exits, asked, tick } = await probing(chained)
    await tick(5000)
    expect(asked).toHaveLength(1)
    await tick(5000)
    expect(asked).toHaveLength(1)
    await tick(25_000)
    expect(asked).toHaveLength(2)
    exits.health.note(1n, { latencyMs: 1 })
    await tick(29_000)
    expect(asked).toHaveLength(2)
    exits.stop()
    const direct = await probing({})
    await direct.tick(60_000)
    expect(direct.asked).toEqual([])
    direct.exits.stop()
  })

  it('run at the operator’s interval, or never', async () => {
    const often = await probing(chained, 2000)
    for (let index = 0; index < 3; index++) await often.tick(2000)
    expect(often.asked).toHaveLength(3)
    often.exits.stop()
    const never = await probing(chained, null)
    await never.tick(600_000)
    const [exit] = never.exits.all
    if (exit !== undefined) never.probes.suspect(exit)
    expect(never.asked).toEqual([])
    never.exits.stop()
  })

  it('open a breaker and close it again without a customer’s connection', async () => {
    const { exits, outcome, tick, state } = await probing(chained)
    outcome.fault = exitFailure('failed', { status: null, word: null })
    for (let index = 0; index < 3; index++) await tick(30_000)
    expect(state()).toBe('open')
    outcome.fault = null
    await tick(5000)
    expect(state()).toBe('closed')
    exits.stop()
  })

  it('that end with the handshake can open a breaker, but not close it', async () => {
    const { exits, asked, outcome, tick, state } = await probing({ ...chained, probe_target: null })
    outcome.fault = exitFailure('failed', { status: null, word: null })
    for (let index = 0; index < 3; index++) await tick(30_000)
    outcome.fault = null
    await tick(5000)
    expect(state()).toBe('half_open')
    expect(asked).toHaveLength(3)
    exits.stop()
  })

  it('whose target is unreachable do not count for the exit, and a suspected exit is checked once', async () => {
    const { exits, probes, asked, outcome, tick, state } = await probing(chained)
    outcome.fault = exitFailure('target', { status: null, word: null })
    for (let index = 0; index < 10; index++) await tick(30_000)
    expect(state()).toBe('closed')
    const [exit] = exits.all
    if (exit === undefined) throw new Error('no exit')
    const before = asked.length
    await tick(6000)
    for (let index = 0; index < 10; index++) probes.suspect(exit)
    expect(asked.length - before).toBe(1)
    exits.stop()
  })
})
