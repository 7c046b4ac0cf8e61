import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { anywhere } from '#proxies/grammar'
import { startOrigin, type Origin } from '#test/origin'
import type { FeedAccount, FeedSlot } from '#feed'
import { eventually } from '#test/eventually'
import { RawClient } from './testing/client.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'

const run = promisify(execFile)
const { set: _set, ...anySlot } = anywhere() satisfies FeedSlot

let origin: Origin
let bench: Bench
let clients: RawClient[]

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(async () => origin.close())
beforeEach(async () => {
  clients = []
  bench = await startBench({ ports: [{ pool: 'residential', port: 0, slots: 2 }] })
})
afterEach(async () => {
  for (const client of clients) client.destroy()
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
  expect(bench.feed.leases.size).toBe(0)
})

const slotPort = (slot: number) => bench.gateway.addresses.find((each) => each.slot === slot)?.port ?? 0

function account(login = 'alice1'): FeedAccount {
  const found = bench.feed.accounts.get(`residential ${login}`)
  if (found === undefined) throw new Error('no account')
  return found
}

function allow(whose: FeedAccount | null): void {
  const key = 'residential 127.0.0.1'
  if (whose === null) bench.feed.whitelist.delete(key)
  else bench.feed.whitelist.set(key, whose)
  bench.feed.emit({ type: 'whitelist_changed', pool: 'residential', address: '127.0.0.1' })
}

function raw(port: number): RawClient {
  const client = new RawClient(port)
  clients.push(client)
  return client
}

const connectTo = (port: number, fields = '') => raw(port).connect(`127.0.0.1:${origin.echoPort}`, fields)

async function echo(client: RawClient): Promise<void> {
  client.write('hello')
  await client.until(() => client.text.endsWith('hello'), 'the echo')
}

/**
 * Sends a SOCKS5 client's first messages in one write; returns the answer when the connection is granted or
 * closed.
 */
async function socks(port: number, ...messages: number[][]): Promise<number[]> {
  const client = raw(port)
  const target = [5, 1, 0, 1, 127, 0, 0, 1, origin.echoPort >> 8, origin.echoPort & 255]
  client.write(Buffer.from([...messages, target].flat()))
  await client.until(() => client.ended || client.bytes.length >= 12, 'the replies')
  return [...client.bytes]
}

const curl = (...args: string[]) =>
  run('curl', [
    '-sS',
    '--max-time',
    '20',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code} %{http_connect}',
    ...args,
  ]).then(
    ({ stdout }) => stdout,
    (fault: { stdout: string; code: number }) => `failed ${fault.code}`,
  )
const url = (path: string) => `http://127.0.0.1:${origin.httpPort}${path}`
const ways = (port: number): [string, string[]][] => [
  ['http', ['-x', `http://127.0.0.1:${port}`]],
  ['connect', ['-p', '-x', `http://127.0.0.1:${port}`]],
  ['socks5', ['-x', `socks5://127.0.0.1:${port}`]],
  ['socks5h', ['-x', `socks5h://127.0.0.1:${port}`]],
]

describe('an entry port without credentials', () => {
  it('serves curl from a whitelisted address, over every protocol, and charges its account', async () => {
    allow(account())
    for (const [name, args] of ways(bench.port))
      expect([name, await curl(...args, url('/bytes/1000'))]).toEqual([
        name,
        name === 'connect' ? '200 200' : '200 000',
      ])
    await eventually(() => bench.feed.leases.size === 0, 'the lease to go back')
    expect(bench.feed.requests.get(account().access)).toBe(4)
    expect(Number(bench.feed.chargedTo(account()))).toBeGreaterThan(4000)
  })

  it('requires credentials from any other address', async () => {
    const [, , [, five] = ['', []]] = ways(bench.port)
    expect(await curl('-x', `http://127.0.0.1:${bench.port}`, url('/bytes/1'))).toBe('407 000')
    expect(await curl(...five, url('/bytes/1'))).toBe('failed 97')
    expect(await socks(bench.port, [5, 1, 0])).toEqual([5, 0xff])
    // The address is whitelisted in its pool only.
    bench.feed.whitelist.set('mobile 127.0.0.1', account())
    bench.feed.emit({ type: 'reset' })
    expect(await curl('-x', `http://127.0.0.1:${bench.port}`, url('/bytes/1'))).toBe('407 000')
  })

  it('checks credentials that are presented, from any address', async () => {
    allow(account())
    const wrong = await connectTo(bench.port, basic('alice1', 'wrong'))
    expect(wrong.text).toMatch(/^HTTP\/1.1 407 .*wrong_credentials/s)
    const digest = await connectTo(bench.port, 'Proxy-Authorization: Digest username="alice1"\r\n')
    expect(digest.text).toMatch(/^HTTP\/1.1 407 .*credentials_unreadable/s)
    // Most clients with a password offer "no authentication" as well.
    expect((await socks(bench.port, [5, 2, 0, 2], [1, 1, 97, 1, 98])).slice(0, 4)).toEqual([5, 2, 1, 1])
  })

  it('treats an empty user name and password as none', async () => {
    expect((await connectTo(bench.port, basic('', ''))).text).toMatch(/^HTTP\/1.1 407 .*credentials_missing/s)
    allow(account())
    expect((await connectTo(bench.port, basic('', ''))).text).toMatch(/^HTTP\/1.1 200 /)
    expect((await socks(bench.port, [5, 2, 0, 2], [1, 0, 0])).slice(0, 6)).toEqual([5, 2, 1, 0, 5, 0])
  })

  it('identifies an IPv4 client on an IPv6 socket by its IPv4 address', async () => {
    const both = await startBench({ memory: bench.feed, gateway: 'g2', host: '::' })
    try {
      allow(account())
      expect(both.gateway.addresses[0]?.host).toBe('::')
      expect((await connectTo(both.port)).text).toMatch(/^HTTP\/1.1 200 /)
    } finally {
      await both.close()
    }
  })

  it('does not keep a client waiting for its 407 while addresses cannot be looked up', async () => {
    // Longer than a test may take.
    bench.feed.latencyMs = 600_000
    const client = await connectTo(bench.port)
    expect(client.text).toMatch(/^HTTP\/1.1 407 /)
    bench.feed.latencyMs = 0
    bench.feed.away = true
    expect((await connectTo(bench.port)).text).toMatch(/^HTTP\/1.1 407 /)
    bench.feed.away = false
  })
})

describe('a slot port', () => {
  it('that is in use keeps the gateway from starting', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const ports = [{ pool: 'residential', port: port - 1, slots: 3 }]
    await expect(startBench({ gateway: 'g2', ports })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    other.close()
  })

  it('applies its stored settings, without credentials, over every protocol', async () => {
    allow(account())
    bench.feed.slots.set(`${account().access} 1`, { ...anySlot, session: 'abc', states: ['us_ca'] })
    for (const [, args] of ways(slotPort(1))) expect(await curl(...args, url('/bytes/1'))).toMatch(/^200 /)
    const tunnel = await connectTo(slotPort(1))
    expect(tunnel.text).toContain('X-Turnpike-Session: abc\r\n')
    expect(tunnel.text).toContain('X-Turnpike-Multiplier: 2\r\n')
    await echo(tunnel)
  })

  it('ignores credentials', async () => {
    allow(account())
    bench.feed.slots.set(`${account().access} 1`, anySlot)
    expect((await connectTo(slotPort(1), basic('nobody', 'nothing'))).text).toMatch(/^HTTP\/1.1 200 /)
    expect((await socks(slotPort(1), [5, 1, 2], [1, 1, 97, 1, 98])).slice(0, 6)).toEqual([5, 2, 1, 0, 5, 0])
    expect((await socks(slotPort(1), [5, 2, 2, 0])).slice(0, 4)).toEqual([5, 0, 5, 0])
  })

  it('answers 403 to an address that is not on the whitelist, and closes', async () => {
    const client = await connectTo(slotPort(1), basic())
    expect(client.text).toMatch(/^HTTP\/1.1 403 Forbidden\r\n.*address_not_whitelisted: .*127\.0\.0\.1/s)
    expect(client.text).toContain('Connection: close\r\n')
    await client.untilEnd()
    expect((await socks(slotPort(1), [5, 1, 0])).slice(0, 4)).toEqual([5, 0, 5, 2])
    expect((await socks(slotPort(1), [5, 1, 2], [1, 1, 97, 1, 98])).slice(0, 6)).toEqual([5, 2, 1, 0, 5, 2])
  })

  it('answers 403 until a line is made for it, and serves from then on', async () => {
    allow(account())
    const client = await connectTo(slotPort(2))
    expect(client.text).toMatch(/^HTTP\/1.1 403 .*slot_unused: no line was made for slot 2 /s)
    expect((await socks(slotPort(2), [5, 1, 0])).slice(0, 4)).toEqual([5, 0, 5, 2])
    bench.feed.slots.set(`${account().access} 2`, anySlot)
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    expect((await connectTo(slotPort(2))).text).toMatch(/^HTTP\/1.1 200 /)
  })

  it('does not reuse a connection to the target after its settings changed', async () => {
    allow(account())
    bench.feed.slots.set(`${account().access} 1`, { ...anySlot, session: 'one' })
    const client = raw(slotPort(1))
    const answers = () => client.text.split('HTTP/1.1 200 OK').length - 1
    const request = `GET ${url('/status/200')} HTTP/1.1\r\nHost: x\r\n\r\n`
    client.write(request)
    await client.until(() => answers() === 1, 'the first answer')
    const made = origin.made()
    client.write(request)
    await client.until(() => answers() === 2, 'the second answer')
    expect(origin.made()).toBe(made)
    bench.feed.slots.set(`${account().access} 1`, { ...anySlot, session: 'two' })
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    client.write(request)
    await client.until(() => answers() === 3, 'the third answer')
    expect(origin.made()).toBe(made + 1)
  })
})

describe('an address that is claimed but not proven', () => {
  const claim = (whose: FeedAccount | null, address = '127.0.0.1') => {
    if (whose === null) bench.feed.claims.delete(`residential ${address}`)
    else bench.feed.claims.set(`residential ${address}`, whose)
    bench.feed.emit({ type: 'whitelist_changed', pool: 'residential', address })
  }

  it('changes nothing at an entry port, whatever the state of the claiming account', async () => {
    const bob = bench.feed.addAccount('bobby1', 'secret', 0n)
    bench.feed.slots.set(`${bob.access} 1`, anySlot)
    const answers = async () => [
      (await connectTo(bench.port)).text
        .replaceAll(/[0-9a-f-]{36}/g, 'id')
        .replace(/^Date: .*$/m, 'Date: now'),
      await socks(bench.port, [5, 1, 0]),
      (await connectTo(bench.port, basic())).text.split(' ', 2)[1],
    ]
    const before = await answers()
    expect(before[0]).toMatch(/^HTTP\/1.1 407 /)
    const limits = { connections: 1, allowed_hosts: ['no.example'], denied_hosts: [], data_saver: false }
    for (const bobs of [bob, { ...bob, blocked: true }, { ...bob, limits }]) {
      claim(bobs)
      expect(await answers()).toEqual(before)
    }
  })

  it('is served at a slot port, until another account claims or proves it', async () => {
    const bob = bench.feed.addAccount('bobby1', 'secret', 1_000_000n)
    for (const whose of [account(), bob]) bench.feed.slots.set(`${whose.access} 1`, anySlot)
    claim(account())
    const first = await connectTo(slotPort(1))
    await echo(first)
    // With two claims the server returns no account.
    claim(null)
    await first.untilEnd(2000)
    expect((await connectTo(slotPort(1))).text).toMatch(/^HTTP\/1.1 403 .*address_not_whitelisted/s)
    claim(account())
    const second = await connectTo(slotPort(1))
    await echo(second)
    allow(bob)
    await second.untilEnd(2000)
    await echo(await connectTo(slotPort(1)))
    await eventually(() => bench.feed.chargedTo(bob) === 10n, 'the one who has proven it to pay')
    expect(bench.feed.chargedTo(account())).toBe(20n)
  })

  it('ends no session opened by address at an entry port, and vice versa', async () => {
    allow(account())
    bench.feed.slots.set(`${account().access} 1`, anySlot)
    const [entry, slot] = [await connectTo(bench.port), await connectTo(slotPort(1))]
    claim(account())
    allow(null)
    // One claim is left: it serves slot ports.
    await entry.untilEnd(2000)
    await echo(slot)
  })
})

describe('a connection with a password', () => {
  const proofs = () => bench.feed.proofs.flat()
  const toProve = (...addresses: string[]) => {
    bench.feed.accounts.set('residential alice1', { ...account(), to_prove: addresses })
    bench.feed.emit({
      type: 'whitelist_changed',
      pool: 'residential',
      address: addresses[0] ?? '',
      login: 'alice1',
    })
  }
  /** The status of a CONNECT from an address of this machine. */
  async function statusFrom(localAddress: string, fields: string, port = bench.port): Promise<string> {
    const client = new RawClient(connect({ host: '127.0.0.1', port, localAddress }))
    clients.push(client)
    const target = `127.0.0.1:${origin.echoPort}`
    client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${fields}\r\n`)
    await client.until(() => client.text.includes('\r\n\r\n'), 'the answer to CONNECT')
    return client.text.slice(9, 12)
  }

  it('proves its address once, over any protocol', async () => {
    // The account is cached when the address is listed.
    expect(await statusFrom('127.0.0.5', basic())).toBe('200')
    toProve('127.0.0.5', '127.0.0.6', '127.0.0.1')
    for (let time = 0; time < 3; time++) expect(await statusFrom('127.0.0.5', basic())).toBe('200')
    await eventually(() => proofs().length > 0, 'the proof')
    expect(proofs()).toEqual([{ access: account().access, address: '127.0.0.5' }])
    // Known credentials from another address, and by SOCKS5.
    expect(await statusFrom('127.0.0.6', basic())).toBe('200')
    const login = [1, 6, ...Buffer.from('alice1'), 6, ...Buffer.from('secret')]
    expect((await socks(bench.port, [5, 1, 2], login)).slice(0, 4)).toEqual([5, 2, 1, 0])
    await eventually(() => proofs().length === 3, 'the other proofs')
    expect(proofs().map(({ address }) => address)).toEqual(['127.0.0.5', '127.0.0.6', '127.0.0.1'])
  })

  it('proves an address again after it was removed from the list and added anew', async () => {
    for (let time = 1; time <= 2; time++) {
      toProve('127.0.0.5')
      expect(await statusFrom('127.0.0.5', basic())).toBe('200')
      await eventually(() => proofs().length === time, 'the proof')
    }
  })

  it('proves nothing with a wrong password, without one, at a slot port, for a blocked account, or from another address', async () => {
    toProve('127.0.0.5')
    bench.feed.claims.set('residential 127.0.0.5', account())
    bench.feed.slots.set(`${account().access} 1`, anySlot)
    expect(await statusFrom('127.0.0.5', basic('alice1', 'wrong'))).toBe('407')
    expect(await statusFrom('127.0.0.5', '')).toBe('407')
    expect(await statusFrom('127.0.0.5', basic(), slotPort(1))).toBe('200')
    expect(await statusFrom('127.0.0.6', basic())).toBe('200')
    bench.feed.accounts.set('residential alice1', { ...account(), blocked: true })
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    expect(await statusFrom('127.0.0.5', basic())).toBe('403')
    await bench.gateway.stop({ graceMs: 0 })
    expect(proofs()).toEqual([])
  })

  it('sends the proof of its address when an unreachable server is back', async () => {
    toProve('127.0.0.5')
    expect(await statusFrom('127.0.0.7', basic())).toBe('200')
    const { prove } = bench.feed
    let calls = 0
    bench.feed.prove = async () => {
      calls++
      throw new Error('the feed is unreachable')
    }
    expect(await statusFrom('127.0.0.5', basic())).toBe('200')
    await eventually(() => calls > 0, 'an attempt')
    bench.feed.prove = prove
    await eventually(() => proofs().length === 1, 'the proof')
    expect(proofs()).toEqual([{ access: account().access, address: '127.0.0.5' }])
  })

  it('is proven even by a gateway that stops right afterwards', async () => {
    toProve('127.0.0.5')
    expect(await statusFrom('127.0.0.5', basic())).toBe('200')
    await bench.gateway.stop({ graceMs: 0 })
    expect(proofs()).toHaveLength(1)
  })
})

describe('sessions opened by address', () => {
  it('are cut when the address is removed from the whitelist; sessions opened by password stay', async () => {
    allow(account())
    const client = await connectTo(bench.port)
    const owner = await connectTo(bench.port, basic())
    await echo(client)
    allow(null)
    await client.untilEnd(2000)
    await echo(owner)
    expect((await connectTo(bench.port)).text).toMatch(/^HTTP\/1.1 407 /)
  })

  it('are cut when the address moves to another account, which pays from then on', async () => {
    const bob = bench.feed.addAccount('bobby1', 'secret', 1_000_000n)
    allow(account())
    const client = await connectTo(bench.port)
    await echo(client)
    allow(bob)
    await client.untilEnd(2000)
    await echo(await connectTo(bench.port))
    await eventually(() => bench.feed.chargedTo(bob) === 10n, 'the other to pay')
    expect(bench.feed.chargedTo(account())).toBe(10n)
  })

  it('survive a password change, but not a block of the account', async () => {
    const saved = account()
    allow(saved)
    const client = await connectTo(bench.port)
    bench.feed.accounts.set('residential alice1', { ...saved, password_sha256: '00'.repeat(32) })
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    await echo(client)
    bench.feed.whitelist.set('residential 127.0.0.1', { ...saved, blocked: true })
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    await client.untilEnd(2000)
    // The current holder of the address may be waiting for a 407.
    expect((await connectTo(bench.port)).text).toMatch(/^HTTP\/1.1 407 .*credentials_missing/s)
    expect(await socks(bench.port, [5, 1, 0])).toEqual([5, 0xff])
    expect((await connectTo(slotPort(1))).text).toMatch(/^HTTP\/1.1 403 .*account_blocked/s)
  })

  it('are not opened by a right that ends while the slot is looked up', async () => {
    allow(account())
    bench.feed.slots.set(`${account().access} 1`, anySlot)
    const slotOf = bench.feed.slot.bind(bench.feed)
    const questions: (() => void)[] = []
    bench.feed.slot = async (key) => {
      await new Promise<void>((resolve) => questions.push(resolve))
      return await slotOf(key)
    }
    const opening = connectTo(slotPort(1))
    await eventually(() => questions.length === 1, 'the question')
    allow(null)
    questions[0]?.()
    expect((await opening).text).toMatch(/^HTTP\/1.1 403 .*address_not_whitelisted/s)
  })
})
