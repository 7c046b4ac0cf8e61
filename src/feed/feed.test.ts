import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { sized } from '#test/size'
import { type FeedEvent, ReportRefused } from './feed.ts'
import { connectFeed, type FeedClient } from './client.ts'
import { serveFeed } from './server.ts'
import { MemoryFeed } from './testing.ts'
import { decode, encode, readFrames, type Frame } from './frames.ts'

const me = { gateway: 'g1', boot: 'b1' }
const noPlaces = { countries: [], states: [], cities: [], zips: [], asns: [], excludedAsns: [] }

describe('the wire', () => {
  it('decodes what it encoded, including bigints', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        fc.bigInt(),
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        fc.integer(),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie('any'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).any
    fc.assert(
      fc.property(value, (item) => {
        expect(decode(encode(item))).toEqual(item)
      }),
    )
  })

  it('reads whole frames from a stream cut into any chunks', async () => {
    const frames: Frame[] = [1, 2, 3].map((id) => ({ id, ok: { bytes: 2n ** 60n, text: 'añb\n' } }))
    const bytes = Buffer.from(frames.map((frame) => `${encode(frame)}\n`).join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        const stream = new PassThrough()
        const heard: Frame[] = []
        readFrames(stream, (frame) => heard.push(frame))
        const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        for (const [index, edge] of edges.entries())
          stream.write(bytes.subarray(edge, edges[index + 1] ?? edge))
        stream.end()
        await once(stream, 'end')
        expect(heard).toEqual(frames)
      }),
      { numRuns: sized(15, 50) },
    )
  })

  it('ends a stream that sends other data', async () => {
    const stream = new PassThrough()
    readFrames(stream, () => undefined)
    stream.write('no json\n')
    const [fault] = (await once(stream, 'error')) as [Error]
    expect(fault.message).toContain('no JSON')
  })
})

describe('a feed over a stream', () => {
  let memory: MemoryFeed
  let server: Server
  let client: FeedClient
  const accepted: Socket[] = []
  const losses: (Error | null)[] = []

  beforeEach(async () => {
    memory = new MemoryFeed()
    memory.addAccount('alice1', 'secret', 1000n)
    memory.addExit()
    accepted.length = 0
    losses.length = 0
    server = createServer((socket) => {
      accepted.push(socket)
      serveFeed(memory, socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    client = connectFeed({
      connect: () => connect(port, '127.0.0.1'),
      callTimeoutMs: 5000,
      retryMs: { first: 5, last: 20 },
      onLost: (fault) => losses.push(fault),
    })
  })
  afterEach(() => {
    client.close()
    for (const socket of accepted) socket.destroy()
    server.close()
  })

  it('answers like the feed itself', async () => {
    await client.hello(me)
    expect(await client.account({ login: 'alice1', pool: 'residential' })).toEqual(
      await memory.account({ login: 'alice1', pool: 'residential' }),
    )
    expect(await client.account({ login: 'nobody', pool: 'residential' })).toBeNull()
    expect(await client.exits()).toEqual(memory.exitList)
    const alice = await memory.account({ login: 'alice1', pool: 'residential' })
    if (alice !== null) memory.whitelist.set('residential 192.0.2.1', alice)
    expect(await client.whitelisted({ pool: 'residential', address: '192.0.2.1', port: 'entry' })).toEqual(
      alice,
    )
    expect(await client.whitelisted({ pool: 'mobile', address: '192.0.2.1', port: 'entry' })).toBeNull()
    const slot = { ...noPlaces, session: 'a', ttlMinutes: 5, anonymous: false }
    memory.slots.set('1 7', slot)
    expect(await client.slot({ access: 1n, slot: 7 })).toEqual(slot)
    expect(await client.slot({ access: 1n, slot: 8 })).toBeNull()
    const grant = await client.lease(me, { access: 1n, want_bytes: 600n })
    const sums = { granted_bytes: 600n, lease_bytes: 600n, elsewhere_bytes: 400n }
    expect(grant).toEqual({ lease: 1n, ...sums, outstanding: false })
    const line = { lease: 1n, access: 1n, charged_bytes: 100n, requests: 1, close: true }
    const report = { ...me, sequence: 1, at_ms: 0, lines: [line] }
    await client.report(report)
    await client.report(report)
    await client.heartbeat(me)
    expect(memory.charged.get(1n)).toBe(100n)
    expect(memory.balances.get(1n)).toBe(900n)
  })

  it('passes a failure on', async () => {
    memory.away = true
    await expect(client.exits()).rejects.toThrow('the feed is away')
    const report = { ...me, sequence: 1, at_ms: 0, lines: [] }
    await expect(client.report(report)).rejects.not.toBeInstanceOf(ReportRefused)
    memory.away = false
    memory.refused.add(1)
    await expect(client.report(report)).rejects.toThrow(new ReportRefused('report 1 makes no sense'))
    await expect(client.report(report)).rejects.toBeInstanceOf(ReportRefused)
  })

  it('pushes events', async () => {
    const heard: FeedEvent[] = []
    const stop = client.subscribe((event) => heard.push(event))
    await client.exits()
    memory.emit({ type: 'lease_recalled', access: 2n ** 62n })
    memory.emit({ type: 'account_changed', login: 'alice1' })
    await eventually(() => heard.length === 2, 'two events')
    expect(heard[0]).toEqual({ type: 'lease_recalled', access: 2n ** 62n })
    stop()
    memory.emit({ type: 'exits_changed' })
    await client.exits()
    expect(heard).toHaveLength(2)
  })

  it('repeats unanswered calls on the next stream, reports missed events, and leaks no lease', async () => {
    const heard: FeedEvent[] = []
    client.subscribe((event) => heard.push(event))
    await client.exits()
    memory.latencyMs = 20
    const calls = [
      client.lease(me, { access: 1n, want_bytes: 300n }),
      client.account({ login: 'alice1', pool: 'residential' }),
    ] as const
    await eventually(() => accepted[0] !== undefined && accepted[0].bytesRead > 100, 'the calls to arrive')
    accepted[0]?.destroy()
    const [grant, account] = await Promise.all(calls)
    expect(account?.login).toBe('alice1')
    expect(grant.lease).toBe(1n)
    expect(heard).toEqual([{ type: 'reset' }])
    expect(losses).toHaveLength(1)
    // Both calls were granted onto the same lease; closing it returns everything.
    const line = { lease: 1n, access: 1n, charged_bytes: 0n, requests: 0, close: true }
    await client.report({ ...me, sequence: 1, at_ms: 0, lines: [line] })
    expect(memory.balances.get(1n)).toBe(1000n)
  })

  it('retries until there is a server, and fails calls that wait too long', async () => {
    let attempts = 0
    const lonely = connectFeed({
      connect: () => {
        attempts++
        if (attempts < 3) throw new Error('not yet')
        return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
      },
      callTimeoutMs: 100,
      retryMs: { first: 1, last: 2 },
    })
    await expect(lonely.exits()).rejects.toThrow('did not answer in 100 ms')
    expect(attempts).toBe(3)
    expect(lonely.connected).toBe(true)
    const waiting = lonely.exits()
    lonely.close()
    await expect(waiting).rejects.toThrow('the feed was closed')
    await expect(lonely.exits()).rejects.toThrow('the feed is closed')
  })
})
