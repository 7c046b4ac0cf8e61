import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import type { RequestRecord } from '#feed'
import { eventually } from '#test/eventually'
import { RawClient } from './testing/client.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'
import { MemoryFeed } from '#feed/testing'

let origin: Origin
let bench: Bench
const clients: RawClient[] = []

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
beforeEach(async () => {
  origin.seen.length = 0
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000n)
  memory.addAccount('under1', 'with_score', 1_000_000n)
  memory.addExit('residential', {
    places: ['us', 'de', 'gb'].map((country) => ({
      country,
      state: country === 'us' ? 'us_ca' : null,
      city: country === 'us' ? 'us_ca_los_angeles' : null,
      zip: null,
      asn: 7018,
    })),
  })
  memory.names.set('residential state california', ['us_ca'])
  memory.names.set('residential city losangeles', ['us_ca_los_angeles'])
  memory.names.set('residential city springfield', ['us_il_springfield', 'us_mo_springfield'])
  bench = await startBench({ memory, limits: { silentMs: 2000, answerMs: 500 } })
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

async function send(text: string): Promise<RawClient> {
  const client = new RawClient(bench.port)
  clients.push(client)
  client.write(text)
  await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
  return client
}

const connect = (username: string, password = 'secret', port = origin.echoPort) =>
  send(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n${basic(username, password)}\r\n`)

const get = (username: string, password = 'secret', path = '/') =>
  send(
    `GET http://127.0.0.1:${origin.httpPort}${path} HTTP/1.1\r\nHost: x\r\n${basic(username, password)}\r\n`,
  )

const understoodIn = (client: RawClient) => /; understood="([^"]*)"/.exec(client.text)?.[1] ?? null
const idIn = (client: RawClient) => /X-Request-Id: ([0-9a-f-]{36})\r\n/.exec(client.text)?.[1] ?? ''

async function recordOf(client: RawClient): Promise<RequestRecord> {
  const find = () =>
    bench.feed.records.flatMap(({ records }) => records).find(({ id }) => id === idIn(client))
  await eventually(() => find() !== undefined, 'the record of the request')
  return find() as RequestRecord
}

describe('a line of another seller', () => {
  it.each([
    ['brd-customer-alice1-zone-res-country-us-session-Ab1', 'secret', /^alice1-cc-us-sid-x[0-9a-f]{23}$/],
    [
      'customer-alice1-cc-US-st-us_california-city-los_angeles-sessid-q-sesstime-7',
      'secret',
      /^alice1-cc-us-st-us_ca-city-us_ca_los_angeles-sid-q-ttl-7$/,
    ],
    ['alice1__cr.us,de;asn.7018', 'secret', /^alice1-cc-us.de-asn-7018$/],
    ['alice1-type-residential-country-gb', 'secret', /^alice1-cc-gb$/],
    ['alice1', 'secret_country-us,de_session-ab_lifetime-2h', /^alice1-cc-us.de-sid-ab-ttl-120$/],
    ['under1', 'with_score_country-us', null],
  ])('is understood: %s', async (username, password, understood) => {
    if (understood === null) {
      // Settings follow the first underscore of a password only.
      expect((await connect(username, password)).text).toMatch(/^HTTP\/1.1 407 /)
      return
    }
    const tunnel = await connect(username, password)
    expect(tunnel.text).toMatch(/^HTTP\/1.1 200 /)
    expect(understoodIn(tunnel)).toMatch(understood)
    tunnel.write('x')
    await tunnel.until(() => tunnel.text.endsWith('x'), 'the echo')
    const forwarded = await get(username, password)
    expect(forwarded.text).toMatch(/^HTTP\/1.1 200 /)
    expect(understoodIn(forwarded)).toMatch(understood)
  })

  it('is not searched in a line of Turnpike’s grammar, nor in a password that matches as a whole', async () => {
    expect(understoodIn(await connect('alice1-cc-us'))).toBeNull()
    const tunnel = await connect('under1-cc-de', 'with_score')
    expect(tunnel.text).toMatch(/^HTTP\/1.1 200 /)
    expect(understoodIn(tunnel)).toBeNull()
  })

  it.each([
    ['alice1-country-us-os-windows', 'secret', 'os'],
    ['alice1-country-us-city-springfield', 'secret', 'us_il_springfield, us_mo_springfield'],
    ['alice1-country-us-city-atlantis', 'secret', 'atlantis'],
    ['alice1-type-mobile-country-us', 'secret', 'mobile'],
    ['alice1', 'secret_streaming-1', 'streaming'],
    ['alice1-cc-us', 'secret_country-us', 'not clear'],
  ])('is refused for settings that cannot be applied: %s', async (username, password, word) => {
    const client = await connect(username, password)
    expect(client.text).toMatch(/^HTTP\/1.1 400 /)
    expect(client.text).toContain(word)
  })

  it('is not disclosed without the right password', async () => {
    for (const [username, password] of [
      ['alice1-country-zz', 'wrong'],
      ['alice1-cc-zz', 'wrong'],
      ['alice1', 'wrong_streaming-1'],
      ['nobody1-cc-zz', 'secret'],
      ['alice1-cc-us', 'wrong_country-us'],
    ] as const) {
      const client = await connect(username, password)
      expect(client.text, username).toMatch(/^HTTP\/1.1 407 .*wrong_credentials/s)
    }
  })

  it('loses its tunnels when the password changes, like any other line', async () => {
    const tunnel = await connect('alice1', 'secret_country-us')
    const account = bench.feed.accounts.get('residential alice1')
    if (account === undefined) throw new Error('the account alice is missing')
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    tunnel.write('still')
    await tunnel.until(() => tunnel.text.endsWith('still'), 'the echo')
    account.password_sha256 = '0'.repeat(64)
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    await tunnel.untilEnd()
  })

  it('keeps its connection to the target as long as the settings are the same', async () => {
    const client = new RawClient(bench.port)
    clients.push(client)
    const ask = async (path: string, password: string) => {
      client.write(
        `GET http://127.0.0.1:${origin.httpPort}${path} HTTP/1.1\r\nHost: x\r\n${basic('alice1', password)}\r\n`,
      )
      await client.until(() => client.text.includes(`"${path}"`), path)
      return client.text.split('HTTP/1.1 200').at(-1) ?? ''
    }
    expect(await ask('/1', 'secret_country-us_session-a')).toContain('sid-a"')
    expect(await ask('/2', 'secret_country-us_session-b')).toContain('sid-b"')
  })
})

describe('Proxy-Status of a served request', () => {
  it('states the exit’s country, the tariff, the session and the balance', async () => {
    const tunnel = await connect('alice1-cc-us-st-us_ca-sid-q')
    expect(tunnel.text).toMatch(
      /Proxy-Status: turnpike; multiplier=2; country=us; session="q"; balance=1000000; request-id="[0-9a-f-]{36}"\r\n/,
    )
    tunnel.write('x'.repeat(1000))
    await tunnel.until(() => tunnel.text.endsWith('x'.repeat(1000)), 'the echo')
    // 1000 bytes in each direction, at the double tariff.
    const next = await connect('alice1-cc-us')
    expect(next.text).toContain('; balance=996000; ')
    const forwarded = await get('alice1-cc-us')
    expect(forwarded.text).toMatch(/Proxy-Status: turnpike; multiplier=1; country=us; balance=99[0-9]{4}; /)
  })
})

describe('the record of a request', () => {
  it('contains its steps in their order, and its cost', async () => {
    const tunnel = await connect('alice1-cc-us-st-us_ca-sid-q')
    tunnel.write('hello')
    await tunnel.until(() => tunnel.text.endsWith('hello'), 'the echo')
    tunnel.destroy()
    const record = await recordOf(tunnel)
    expect(record).toMatchObject({
      access: 1n,
      protocol: 'connect',
      target: `127.0.0.1:${origin.echoPort}`,
      settings: 'cc-us-st-us_ca-sid-q',
      multiplier: 2,
      country: 'us',
      exit: 1n,
      code: null,
      up_bytes: 5n,
      down_bytes: 5n,
      charged_up_bytes: 10n,
      charged_down_bytes: 10n,
    })
    const steps = [
      0,
      record.authenticated_ms,
      record.exit_chosen_ms,
      record.connected_ms,
      record.first_byte_ms,
      record.ended_ms,
    ]
    expect(steps).toEqual(steps.toSorted((a, b) => Number(a) - Number(b)))
    expect(steps).not.toContain(null)
  })

  it('gives the reason of a failure, and never a path or a password', async () => {
    const reset = await recordOf(await get('alice1', 'secret', '/reset'))
    expect(reset).toMatchObject({ outcome: 'target_failed', status: 502, code: 'target_closed' })
    await recordOf(await get('alice1', 'secret', '/?key=t0ken'))
    expect(reset).toMatchObject({ charged_up_bytes: reset.up_bytes, first_byte_ms: null })
    expect(reset.up_bytes).toBeGreaterThan(0n)
    expect(await recordOf(await connect('alice1-cc-zz'))).toMatchObject({
      outcome: 'refused',
      status: 400,
      code: 'bad_username',
      target: null,
      exit_chosen_ms: null,
    })
    expect(await recordOf(await connect('alice1-cc-fr'))).toMatchObject({
      code: 'no_exit',
      connected_ms: null,
    })
    expect(await recordOf(await get('alice1-cc-fr'))).toMatchObject({ outcome: 'refused', code: 'no_exit' })
    expect(await recordOf(await connect('alice1', 'secret', 1))).toMatchObject({
      code: 'connection_refused',
      target: '127.0.0.1:1',
      connected_ms: null,
    })
    const all = JSON.stringify(bench.feed.records, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(all).not.toMatch(/secret|t0ken|reset/)
  })

  it('is not kept without the right password', async () => {
    const stranger = await connect('alice1', 'wrong')
    await recordOf(await connect('alice1-cc-fr'))
    expect(bench.feed.records.flatMap(({ records }) => records).map(({ id }) => id)).not.toContain(
      idIn(stranger),
    )
  })

  it('is kept for every request, with its client and its target', async () => {
    const client = new RawClient(bench.port)
    clients.push(client)
    const asked = 150
    const head = `Host: x\r\n${basic()}\r\n`
    for (let index = 0; index < asked; index += 1) {
      client.write(`GET http://127.0.0.1:${origin.httpPort}/${index} HTTP/1.1\r\n${head}`)
      client.write(`GET http://127.0.0.1:1/ HTTP/1.1\r\n${head}`)
    }
    const kept = (code: string | null) =>
      bench.feed.records
        .flatMap(({ records }) => records)
        .filter((record) => record.code === code && record.protocol === 'http')
    await eventually(
      () => kept('connection_refused').length === asked && kept(null).length === asked,
      'all records',
    )
    expect(kept(null)[0]).toMatchObject({
      access: 1n,
      account: 1001n,
      pool: 'residential',
      target: `127.0.0.1:${origin.httpPort}`,
      client: '127.0.0.1',
      client_port: client.socket.localPort,
      target_address: '127.0.0.1',
      exit_address: '127.0.0.1',
      exit_port: expect.any(Number) as number,
      outcome: 'done',
    })
    expect(bench.gateway.stats().recordsDropped).toBe(0)
  })

  it('is not awaited while the server is unreachable, and sent when it is back, once', async () => {
    const tunnel = await connect('alice1')
    const id = idIn(tunnel)
    bench.feed.away = true
    tunnel.destroy()
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'its end')
    bench.feed.away = false
    const found = () => bench.feed.records.flatMap(({ records }) => records).filter((one) => one.id === id)
    await eventually(() => found().length > 0, 'the record')
    expect(found()).toHaveLength(1)
  })
})

describe('OPTIONS and TRACE with Max-Forwards 0', () => {
  const ask = (method: string, more: string, username = 'alice1') =>
    send(
      `${method} http://127.0.0.1:${origin.httpPort}/x HTTP/1.1\r\nHost: x\r\n${basic(username)}${more}\r\n`,
    )

  it('are answered by the proxy, for authenticated clients', async () => {
    const answer = await ask('OPTIONS', 'Max-Forwards: 0\r\n')
    expect(answer.text).toMatch(/^HTTP\/1.1 204 .*Allow: GET, HEAD, .*X-Request-Id: /s)
    answer.write(`GET http://127.0.0.1:${origin.httpPort}/after HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`)
    await answer.until(() => answer.text.includes('"/after"'), 'the next answer')
    expect((await ask('OPTIONS', 'Max-Forwards: 0\r\n', 'nobody1')).text).toMatch(/^HTTP\/1.1 407 /)
    expect((await ask('TRACE', 'Max-Forwards: 0\r\n')).text).toMatch(/^HTTP\/1.1 405 /)
    expect(origin.seen.map(({ url }) => url)).toEqual(['/after'])
  })

  it('have Max-Forwards decremented when they are forwarded', async () => {
    await ask('OPTIONS', 'Max-Forwards: 3\r\n')
    await ask('GET', 'Max-Forwards: 3\r\n')
    expect(origin.seen.map(({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('Max-Forwards') + 1])).toEqual([
      '2',
      '3',
    ])
  })
})
