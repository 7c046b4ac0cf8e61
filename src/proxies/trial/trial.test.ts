import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Input } from '#contract/contract'
import { loadInventory } from '#inventory'
import { type App, app, type Customer, refusalOf } from '#test/app'

/** A fake gateway, and its answer to the next CONNECT. */
type Behaviour = (socket: Duplex) => void

let gateway: Server
let entry: TcpServer
let behave: Behaviour
let asked: { target: string; authorization: string }[] = []
let shop: App
let customer: Customer

const granted = 'HTTP/1.1 200 Connection established\r\nX-Request-Id: r1\r\nX-Turnpike-Country: DE\r\n\r\n'
const echo =
  (body: string): Behaviour =>
  (socket) => {
    socket.write(granted)
    socket.once('data', () =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`),
    )
  }

/**
 * The outcome of the next SOCKS5 connection: granted, with the answer of the target in the tunnel, or
 * refused.
 */
let socks: 'granted' | 'refused' = 'granted'
let askedBySocks: string[] = []

/** As the gateway, which distinguishes the protocols by their first byte. */
async function speakSocks(socket: Socket): Promise<void> {
  socket.write(Buffer.from([5, 2]))
  const [login] = (await once(socket, 'data')) as [Buffer]
  socket.write(Buffer.from([1, 0]))
  const [request] = (await once(socket, 'data')) as [Buffer]
  const size = request[4] ?? 0
  const host = request.subarray(5, 5 + size).toString()
  askedBySocks.push(`${login.subarray(2, 10).toString()} ${host}:${request.readUInt16BE(5 + size)}`)
  if (socks === 'refused') return void socket.end(Buffer.from([5, 1, 0, 1, 0, 0, 0, 0, 0, 0]))
  socket.write(Buffer.from([5, 0, 0, 3, 2, 97, 98, 0, 80]))
  await once(socket, 'data')
  const body = '{"ip":"203.0.113.81"}'
  socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`)
}

beforeAll(async () => {
  gateway = createServer()
  entry = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (first: Buffer) => {
      if (first[0] === 5) return void speakSocks(socket)
      socket.pause()
      socket.unshift(first)
      gateway.emit('connection', socket)
      socket.resume()
    })
  })
  gateway.on('connect', (request, socket) => {
    asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] ?? '' })
    socket.on('error', () => socket.destroy())
    behave(socket)
  })
  await new Promise<void>((resolve) => entry.listen(0, '127.0.0.1', resolve))
  const { port } = entry.address() as AddressInfo
  shop = await app({
    env: { GATEWAY_PORT_BASE: String(port), GATEWAY_HOST: '127.0.0.1', PUBLIC_URL: 'http://localhost:3000' },
  })
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 5 })
})
afterAll(async () => {
  gateway.closeAllConnections()
  entry.close()
  await shop.close()
})

const wish: Input<'try_line'> = {
  pool: 'residential',
  anonymous: 'true',
  type: 'rotating',
  protocol: 'http',
  format: 'hostname:port',
  quantity: 9,
  sessionttl: 0,
}
const attempt = async (more: Partial<Input<'try_line'>> = {}, who = customer) => {
  // The tests stay within the limit of trials per minute.
  shop.clock.now = new Date(shop.clock.now.getTime() + 61_000)
  return who.call('try_line', { ...wish, ...more })
}

it('a trial returns the exit of an answer, and requests only the shop’s echo', async () => {
  asked = []
  behave = echo('{"ip":"203.0.113.80"}')
  const trial = await attempt()
  expect(trial).toMatchObject({
    ok: true,
    status: 200,
    code: null,
    address: '203.0.113.80',
    country: 'de',
    registered_country: null,
    asn: null,
    as_name: null,
    request_id: 'r1',
  })
  expect(trial.latency_ms).toBeGreaterThanOrEqual(trial.connect_ms ?? Infinity)
  expect(asked.map(({ target }) => target)).toEqual(['localhost:3000'])
  const login = Buffer.from(asked[0]?.authorization.replace('Basic ', '') ?? '', 'base64').toString()
  expect(login).toMatch(/^tp\w{6}:\w{16}$/)
})

it('a trial returns the network of the address, or else the only one that the settings allow', async () => {
  const place = {
    pool: 'residential',
    country: 'us',
    state: null,
    city: null,
    zip: null,
    asn: 7018,
    count: 1,
  } as const
  await loadInventory(
    shop.database,
    { name: 'trial', kind: 'import' },
    { rows: [place], names: () => ({ places: [], networks: [{ asn: 7018, name: 'AT&T' }] }) },
  )
  behave = echo('{"ip":"1.1.1.1"}')
  expect(await attempt()).toMatchObject({ asn: 13335, as_name: 'Cloudflare, Inc.', registered_country: 'au' })
  // The requested country is not reported as the observed one.
  expect(await attempt({ included_asns: [7018] })).toMatchObject({ asn: 13335 })
  behave = echo('{"ip":"203.0.113.80"}')
  expect(await attempt({ included_asns: [7018] })).toMatchObject({ asn: 7018, as_name: null })
})

it('a trial uses SOCKS5 where the settings request it', async () => {
  asked = []
  askedBySocks = []
  socks = 'granted'
  const trial = await attempt({ protocol: 'socks5' })
  expect(trial).toMatchObject({ ok: true, status: 200, address: '203.0.113.81', country: null, code: null })
  expect(askedBySocks).toEqual([expect.stringMatching(/^tp\w{6} localhost:3000$/)])
  expect(asked).toEqual([])

  // SOCKS5 does not say why it refuses: a CONNECT does.
  socks = 'refused'
  behave = (socket) =>
    socket.end('HTTP/1.1 402 Payment Required\r\nContent-Length: 19\r\n\r\nno_traffic: used up')
  expect(await attempt({ protocol: 'socks5' })).toMatchObject({ ok: false, status: 402, code: 'no_traffic' })
})

it('a trial returns the refusal of the gateway', async () => {
  behave = (socket) =>
    socket.end(
      'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 30\r\nX-Request-Id: r2\r\n\r\nno_exit: nothing fits the line',
    )
  expect(await attempt()).toMatchObject({
    ok: false,
    status: 503,
    code: 'no_exit',
    sentence: 'nothing fits the line',
    address: null,
    request_id: 'r2',
  })
})

it('a trial reports malformed answers', async () => {
  const answers: [Behaviour, string][] = [
    [(socket) => socket.destroy(), 'gateway_unreachable'],
    [echo('{"ip":"not an address"}'), 'unexpected_answer'],
    [echo('<html>'), 'unexpected_answer'],
    [echo(`"${'x'.repeat(1_000_000)}"`), 'unexpected_answer'],
    [(socket) => socket.write(granted, () => socket.destroy()), 'unexpected_answer'],
  ]
  for (const [behaviour, code] of answers) {
    behave = behaviour
    expect(await attempt()).toMatchObject({ ok: false, code, address: null })
  }
})

it('an account may make one trial at a time, and ten in a minute', async () => {
  const eager = await shop.customer()
  await shop.buy(eager, { pool: 'residential', gb: 1 })
  let release = () => {}
  const arrived = new Promise<void>((resolve) => {
    behave = (socket) => {
      release = () => echo('{"ip":"203.0.113.80"}')(socket)
      resolve()
    }
  })
  const first = attempt({}, eager)
  await arrived
  const second = await refusalOf(eager.call('try_line', wish))
  release()
  await first
  expect(second.code).toBe('trial_running')
  behave = echo('{"ip":"203.0.113.80"}')
  for (let made = 1; made < 10; made += 1) await eager.call('try_line', wish)
  expect((await refusalOf(eager.call('try_line', wish))).code).toBe('too_many_requests')
})

it('a trial is refused for the same reasons as an order of lines', async () => {
  const refused = await Promise.all(
    [attempt({ countries: ['zz'] }), attempt({ pool: 'mobile' })].map(refusalOf),
  )
  expect(refused.map(({ code }) => code).toSorted()).toEqual(['no_subuser', 'unknown_location'])
})
