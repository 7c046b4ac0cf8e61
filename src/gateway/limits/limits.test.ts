import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import type { FeedAccount, FeedLimits } from '#feed'
import { eventually } from '#test/eventually'
import { RawClient } from '../testing/client.ts'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { namesOf } from '../testing/names.ts'
import { MemoryFeed } from '#feed/testing'

let origin: Origin
let feed: MemoryFeed
let account: FeedAccount
/** Two gateways with the same customer. */
let benches: Bench[]

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
beforeEach(async () => {
  feed = new MemoryFeed()
  account = feed.addAccount('alice1', 'secret', 1_000_000_000n)
  feed.addExit()
  benches = []
  for (const gateway of ['one', 'two'])
    benches.push(await startBench({ memory: feed, gateway, names: await namesOf(() => ['127.0.0.1']) }))
})
afterEach(async () => {
  for (const bench of benches) await bench.close()
  expect(benches.flatMap((bench) => bench.errors)).toEqual([])
  expect(feed.faults).toEqual([])
  expect(feed.permitted.size).toBe(0)
})

const open: FeedLimits = { connections: null, allowed_hosts: [], denied_hosts: [], data_saver: false }
/** Changes the customer's limits and notifies the gateways. */
function limit(limits: Partial<FeedLimits> | null): void {
  feed.accounts.set('residential alice1', {
    ...account,
    limits: limits === null ? null : { ...open, ...limits },
  })
  feed.emit({ type: 'account_changed', login: 'alice1' })
}

const echo = () => `127.0.0.1:${origin.echoPort}`
const port = (worker = 0) => benches[worker]?.port ?? 0

/** Sends a CONNECT; the response is in the client's text. */
const connectTo = (target: string, worker = 0) => new RawClient(port(worker)).connect(target, basic())

const codeOf = (client: RawClient) => /\r\n\r\n(\w+): /.exec(client.text)?.[1]

async function get(url: string): Promise<RawClient> {
  const client = new RawClient(port())
  client.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${basic()}\r\n`)
  await client.untilEnd()
  return client
}

describe('hosts', () => {
  it('are refused with 403 target_denied when denied, not allowed, or blocked by the data saver', async () => {
    limit({ denied_hosts: ['denied.test', '*.far.test'], data_saver: true })
    for (const host of ['denied.test', 'a.b.far.test', 'stats.g.doubleclick.net']) {
      const client = await connectTo(`${host}:${origin.echoPort}`)
      expect([client.status, codeOf(client)]).toEqual(['403', 'target_denied'])
      client.destroy()
    }
    expect((await get(`http://denied.test:${origin.httpPort}/`)).status).toBe('403')
    expect((await get(`http://far.test:${origin.httpPort}/`)).status).toBe('200')
    limit({ allowed_hosts: ['only.test'] })
    expect(codeOf(await get(`http://far.test:${origin.httpPort}/`))).toBe('target_denied')
    expect((await get(`http://only.test:${origin.httpPort}/`)).status).toBe('200')
    expect(origin.seen.map(({ url }) => url)).toEqual(['/', '/'])
  })

  it('are refused with the rule that denied them', async () => {
    limit({ denied_hosts: ['denied.test'], data_saver: true })
    const said = async (host: string) =>
      /target_denied: (.*)\n/.exec((await get(`http://${host}/`)).text)?.[1] ?? ''
    const sentences = [await said('denied.test'), await said('stats.g.doubleclick.net')]
    limit({ allowed_hosts: ['only.test'] })
    sentences.push(await said('other.test'))
    expect(sentences).toEqual([
      expect.stringContaining('deny'),
      expect.stringContaining('data saver'),
      expect.stringContaining('allow'),
    ])
  })

  it('of the data saver’s list are reached when the customer allows them or turns the data saver off', async () => {
    const host = 'stats.g.doubleclick.net'
    const at = `http://${host}:${origin.httpPort}/`
    expect((await get(at)).status).toBe('200')
    limit({ data_saver: true })
    expect(codeOf(await get(at))).toBe('target_denied')
    limit({ data_saver: true, allowed_hosts: [host] })
    expect((await get(at)).status).toBe('200')
  })

  it('are checked for every request on a kept connection', async () => {
    const client = new RawClient(port())
    const ask = () =>
      client.write(`GET http://kept.test:${origin.httpPort}/ HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`)
    ask()
    await client.until(() => client.text.includes('"method"'), 'the first answer')
    limit({ denied_hosts: ['kept.test'] })
    ask()
    await client.until(() => client.text.includes('target_denied'), 'the refusal')
    client.destroy()
  })

  it('P24: that become denied have their open tunnels cut immediately, and no others', async () => {
    const [denied, other] = [
      await connectTo(`denied.test:${origin.echoPort}`),
      await connectTo(`other.test:${origin.echoPort}`, 1),
    ]
    limit({ denied_hosts: ['denied.test'] })
    await denied.untilEnd(2000)
    other.write('still here')
    await other.until(() => other.text.endsWith('still here'), 'the echo')
    other.destroy()
  })

  it('are refused over SOCKS with the reply "not allowed"', async () => {
    limit({ denied_hosts: ['127.0.0.1'] })
    const client = new RawClient(port())
    client.write('\x05\x01\x02\x01\x06alice1\x06secret')
    await client.until(() => client.bytes.length >= 4, 'to be let in')
    client.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, origin.echoPort >> 8, origin.echoPort & 255]))
    await client.until(() => client.bytes.length >= 6, 'a reply')
    expect(client.bytes[5]).toBe(2)
    client.destroy()
  })
})

describe('a cap on bytes', () => {
  it('is refused with 402 cap_reached that names the cap, and ends open tunnels when it is used up', async () => {
    feed.balances.set(account.access, 100_000n)
    feed.capped.set(account.access, 'day')
    const client = await connectTo(`127.0.0.1:${origin.httpPort}`)
    client.write('GET /bytes/1000000 HTTP/1.1\r\nHost: x\r\n\r\n')
    await client.untilEnd()
    await eventually(() => feed.chargedTo(account) === 100_000n, 'all to be charged')
    const refused = await connectTo(echo(), 1)
    expect(refused.status).toBe('402')
    expect(refused.text).toContain('cap_reached: the traffic that you allow this pool per day is used up')
    refused.destroy()
  })
})

describe('a cap of each length', () => {
  it.each(['hour', 'day', 'month'] as const)(
    'per %s is named in the refusal over HTTP, and refused over SOCKS',
    async (window) => {
      feed.balances.set(account.access, 0n)
      feed.capped.set(account.access, window)
      const said = `cap_reached: the traffic that you allow this pool per ${window} is used up`
      expect((await get(`http://a.test:${origin.httpPort}/`)).text).toMatch(
        new RegExp(`^HTTP/1.1 402 .*${said}`, 's'),
      )
      const client = new RawClient(port())
      client.write('\x05\x01\x02\x01\x06alice1\x06secret')
      client.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, origin.echoPort >> 8, origin.echoPort & 255]))
      await client.untilEnd()
      expect([...client.bytes.subarray(4, 6)]).toEqual([5, 2])
    },
  )
})

describe('a cap on connections', () => {
  it('is enforced with 429 too_many_connections, on all gateways together', async () => {
    limit({ connections: 3 })
    const clients = [await connectTo(echo(), 0), await connectTo(echo(), 1), await connectTo(echo(), 0)]
    expect(clients.map(({ status }) => status)).toEqual(['200', '200', '200'])
    const refused = await connectTo(echo(), 1)
    expect([refused.status, codeOf(refused)]).toEqual(['429', 'too_many_connections'])
    expect(refused.text).toContain('Retry-After: 1')
    refused.destroy()
    // A tunnel that ends makes room on the other gateway.
    clients[0]?.destroy()
    const next = await connectTo(echo(), 1)
    expect(next.status).toBe('200')
    for (const client of [...clients, next]) client.destroy()
  })

  it('is used in full and never exceeded by concurrent connections', async () => {
    limit({ connections: 10 })
    const clients = await Promise.all(Array.from({ length: 30 }, (_, index) => connectTo(echo(), index % 2)))
    const granted = clients.filter((client) => client.status === '200')
    expect(granted).toHaveLength(10)
    expect([...feed.permitted.values()].reduce((a, b) => a + b, 0)).toBe(10)
    for (const client of clients) client.destroy()
  })

  it('P24: that is lowered cuts the newest connections, and one that is removed no longer applies', async () => {
    const clients = [await connectTo(echo()), await connectTo(echo()), await connectTo(echo())]
    limit({ connections: 1 })
    await clients[1]?.untilEnd(2000)
    await clients[2]?.untilEnd(2000)
    expect(clients[0]?.ended).toBe(false)
    limit(null)
    const more = [await connectTo(echo()), await connectTo(echo(), 1)]
    expect(more.map(({ status }) => status)).toEqual(['200', '200'])
    for (const client of [...clients, ...more]) client.destroy()
  })

  it('is enforced by each gateway alone while the server is unreachable', async () => {
    limit({ connections: 1 })
    const first = await connectTo(echo())
    feed.away = true
    expect((await connectTo(echo())).status).toBe('429')
    feed.away = false
    first.destroy()
  })
})
