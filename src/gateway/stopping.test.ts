/** The end of a gateway and of each tunnel: the sessions cut, the charges, and the line in the log. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { RawClient } from './testing/client.ts'
import { certificateFolder, shake, type CertificateFolder } from './testing/certificates.ts'
import { basic, silentLog, startBench, type Bench } from './testing/bench.ts'

let origin: Origin
let folder: CertificateFolder
let bench: Bench
const clients: RawClient[] = []
const lines: Record<string, unknown>[] = []
const bugs: unknown[] = []
const log = {
  ...silentLog,
  info: (fields: object, message: string) => void lines.push({ message, ...fields }),
  error: (fields: object, message: string) => void bugs.push({ message, ...fields }),
}

beforeAll(async () => {
  origin = await startOrigin()
  folder = certificateFolder()
  folder.make('door', ['127.0.0.1'])
})
afterAll(async () => {
  await origin.close()
  folder.remove()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await bench.close()
  expect(bugs).toEqual([])
  expect(bench.feed.faults).toEqual([])
  lines.length = 0
})

const begin = async (options: Parameters<typeof startBench>[0] = {}) =>
  void (bench = await startBench({ certificates: [folder.files('door')], log, ...options }))
const connectHead = () => `CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n${basic()}\r\n`
const request = (path: string, fields = '', method = 'GET') =>
  `${method} http://127.0.0.1:${origin.httpPort}${path} HTTP/1.1\r\nHost: x\r\n${basic()}${fields}\r\n`

let upgrade: string
let uploadHead: string
beforeAll(() => {
  upgrade = request('/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n')
  uploadHead = request('/echo', 'Content-Length: 100\r\n', 'POST')
})

async function say(text: string, tls = false): Promise<RawClient> {
  const client = new RawClient(tls ? await shake(bench.port) : bench.port)
  clients.push(client)
  client.write(text)
  return client
}

async function tunnel(tls = false): Promise<RawClient> {
  const client = await say(connectHead(), tls)
  await client.until(() => client.text.includes('\r\n\r\n'), 'the tunnel')
  client.write('hello')
  await client.until(() => client.text.endsWith('hello'), 'the echo')
  return client
}

async function socksTunnel(): Promise<RawClient> {
  const client = await say('\x05\x01\x02\x01\x06alice1\x06secret')
  client.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, origin.echoPort >> 8, origin.echoPort & 255]))
  await client.until(() => client.bytes.length === 14, 'the tunnel')
  client.write('hello')
  await client.until(() => client.text.endsWith('hello'), 'the echo')
  return client
}

async function websocket(): Promise<RawClient> {
  const client = await say(upgrade)
  await client.until(() => client.text.endsWith('hello'), 'the switch')
  return client
}

/** A request whose body is incomplete, so that the target waits. */
async function upload(): Promise<RawClient> {
  const before = origin.seen.length
  const client = await say(`${uploadHead}hello`)
  await client.until(() => origin.seen.length > before, 'the request to arrive')
  return client
}

describe('a stopping gateway', () => {
  it('cuts sessions of every kind that have not ended in time, and settles every byte', async () => {
    await begin()
    const [hang, websockets] = [request('/hang'), await websocket()]
    const open = [await tunnel(), await tunnel(true), await socksTunnel(), websockets, await upload()]
    const waiting = await say(hang)
    await eventually(() => bench.gateway.stats().tunnelsOpen === 6, 'all of them to be open')
    expect(bench.feed.leases.size).toBe(1)
    await bench.gateway.stop({ graceMs: 300 })
    for (const client of [...open, waiting]) await client.untilEnd()
    expect(lines.filter(({ message }) => message === 'tunnel ended').map(({ reason }) => reason)).toEqual(
      Array.from({ length: 6 }, () => 'cut'),
    )
    // Five bytes in each direction through each tunnel; of HTTP everything on the client's connection.
    const http = upgrade.length + websockets.bytes.length + uploadHead.length + 5 + hang.length
    const carried = 3 * 10 + http
    expect(bench.feed.charged.get(1n)).toBe(BigInt(carried))
    expect(bench.feed.leases.size).toBe(0)
    expect(bench.feed.balances.get(1n)).toBe(1_000_000_000_000n - BigInt(carried))
  })

  it('lets a request end, then closes its connection, and accepts no other', async () => {
    await begin()
    const uploading = await upload()
    const stopped = bench.gateway.stop({ graceMs: 10_000 })
    const late = new RawClient(bench.port)
    clients.push(late)
    await late.until(() => late.closed, 'the refusal')
    uploading.write('x'.repeat(95))
    uploading.write(request('/never'))
    await uploading.untilEnd()
    expect(uploading.text).toMatch(/^HTTP\/1.1 200 .*\r\nConnection: close\r\n.*hellox{95}$/s)
    await stopped
    expect(origin.seen.map(({ url }) => url)).not.toContain('/never')
    const { bytesUp, bytesDown } = bench.gateway.stats()
    expect(bench.feed.charged.get(1n)).toBe(BigInt(bytesUp + bytesDown))
  })
})

describe('a connection that was accepted before the gateway is asked to stop', () => {
  it.each(['at once', 'in parts'])('gets its tunnel when it asks for it %s afterwards', async (how) => {
    await begin()
    const coming = await say(how === 'at once' ? '' : connectHead().slice(0, 20))
    await eventually(() => bench.gateway.stats().connectionsOpen === 1, 'the connection')
    const stopped = bench.gateway.stop({ graceMs: 10_000 })
    coming.write(how === 'at once' ? connectHead() : connectHead().slice(20))
    await coming.until(() => coming.text.includes('\r\n\r\n'), 'the tunnel')
    coming.write('hello')
    await coming.until(() => coming.text.endsWith('hello'), 'the echo')
    coming.destroy()
    await stopped
    expect(bench.feed.charged.get(1n)).toBe(10n)
  })

  it('gets its tunnel when its account is being looked up', async () => {
    await begin()
    bench.feed.latencyMs = 200
    const asked = vi.spyOn(bench.feed, 'account')
    const coming = await say(connectHead())
    await eventually(() => asked.mock.calls.length === 1, 'the lookup')
    const stopped = bench.gateway.stop({ graceMs: 10_000 })
    await coming.until(() => coming.text.includes('200 '), 'the tunnel')
    coming.destroy()
    await stopped
  })

  it('is refused with a reason when the lookup takes longer than the gateway may take to stop', async () => {
    await begin()
    bench.feed.latencyMs = 600
    const asked = vi.spyOn(bench.feed, 'account')
    const coming = await say(connectHead())
    await eventually(() => asked.mock.calls.length === 1, 'the lookup')
    const stopped = bench.gateway.stop({ graceMs: 450 })
    await coming.untilEnd()
    expect(coming.text).toMatch(/^HTTP\/1.1 503 .*stopping: /s)
    expect(bench.gateway.stats().tunnelsTotal).toBe(0)
    await stopped
  })

  it('delays the stop no longer than a connection may be silent', async () => {
    await begin({ limits: { silentMs: 200 } })
    await say('')
    await eventually(() => bench.gateway.stats().connectionsOpen === 1, 'the connection')
    await bench.gateway.stop({ graceMs: 3_600_000 })
    expect(bench.gateway.stats().connectionsOpen).toBe(0)
  })
})

it('a stopping gateway gives back at once the lease of an account without tunnels, while other tunnels go on', async () => {
  await begin({ keepsGoing: true })
  bench.feed.addAccount('bob1', 'secret', 1_000_000n)
  const open = await tunnel()
  const bobs = await say(connectHead().replace(basic(), basic('bob1')))
  await bobs.until(() => bobs.text.includes('200 '), "Bob's tunnel")
  bobs.write('hello')
  await bobs.until(() => bobs.text.endsWith('hello'), 'the echo')
  bobs.destroy()
  await eventually(() => bench.gateway.stats().tunnelsOpen === 1, 'the end of it')
  expect(bench.feed.leases.size).toBe(2)
  const stopped = bench.gateway.stop({ graceMs: 3_600_000 })
  await eventually(() => bench.feed.leases.size === 1, "Bob's lease to come back")
  expect(bench.feed.balances.get(2n)).toBe(1_000_000n - 10n)
  open.write('hello')
  await open.until(() => open.text.endsWith('hellohello'), 'the echo')
  open.destroy()
  await stopped
  expect(bench.feed.leases.size).toBe(0)
})

describe('the line in the log', () => {
  it('is written once per tunnel and request, with the id that its client received', async () => {
    await begin()
    const open = [await tunnel(), await tunnel(true)]
    for (const client of open) client.destroy()
    const plain = await say(request('/bytes/5'))
    await plain.until(() => plain.text.includes('\r\n\r\n'), 'the answer')
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'all of them to end')
    const told = [...open, plain].map(({ text }) => /X-Request-Id: (\S+)/.exec(text)?.[1])
    const ended = lines.filter(({ message }) => message === 'tunnel ended')
    expect(told).toHaveLength(ended.length)
    expect(new Set(ended.map(({ request_id }) => request_id))).toEqual(new Set(told))
    expect(ended.find(({ protocol }) => protocol === 'http')).toMatchObject({
      // The customer's account, and their access to the pool, which has another number.
      account: '1001',
      access: '1',
      login: 'alice1',
      pool: 'residential',
      client: '127.0.0.1',
      target: `127.0.0.1:${origin.httpPort}`,
      exit: '1',
      bytes_up: request('/bytes/5').length,
      multiplier: 1,
      reason: 'done',
    })
  })
})

describe('failures', () => {
  it('before the first byte of the target are counted separately, and cost what the target accepted', async () => {
    await begin()
    const reset = await say(request('/reset'))
    await reset.until(() => reset.text.includes('\r\n\r\n'), 'an answer')
    const silent = await say(connectHead())
    await silent.until(() => silent.text.includes('\r\n\r\n'), 'the tunnel')
    silent.write('!reset\n')
    await silent.until(() => silent.closed, 'the end')
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'both to end')
    expect(bench.gateway.stats().pools['residential']?.ended).toEqual({ target_failed: 2 })
    await bench.gateway.stop({ graceMs: 0 })
    expect(bench.feed.charged.get(1n)).toBe(BigInt(request('/reset').length + '!reset\n'.length))
  })
})
