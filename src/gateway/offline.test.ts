/**
 * The server is unreachable: what a gateway still serves, with what it starts in the meantime, and that the
 * sums are right afterwards.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import type { FeedAccount } from '#feed'
import { serveFeed } from '#feed/server'
import { eventually } from '#test/eventually'
import { printLine, readLine } from './metering/journal.ts'
import { RawClient } from './testing/client.ts'
import { basic, type Bench, startBench } from './testing/bench.ts'
import { MemoryFeed } from '#feed/testing'

const given = 1_000_000_000n
let origin: Origin
let feed: MemoryFeed
let account: FeedAccount
let directory: string

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'gateway-'))
  feed = new MemoryFeed()
  account = feed.addAccount('alice1', 'secret', given)
  feed.addExit()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const start = () => startBench({ memory: feed, journalDir: directory, keepsGoing: true })

/** An answer without what differs from one request, or one second, to the next. */
const withoutId = ({ text }: RawClient) =>
  text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replaceAll(/^Date: .*$/gm, 'Date')

/** Sends a CONNECT; the response is in the client's text. */
const connectTo = (port: number, password = 'secret', login = 'alice1') =>
  new RawClient(port).connect(`127.0.0.1:${origin.echoPort}`, basic(login, password))

/** Sends this many bytes and waits for their echo: twice as many are relayed. */
async function echo(client: RawClient, bytes: number): Promise<void> {
  const before = client.bytes.length
  client.write('x'.repeat(bytes))
  await client.until(() => client.bytes.length === before + bytes, 'the echo')
}

/** Waits until all relayed bytes are charged, and the rest has returned to the balance. */
async function expectCharged(bytes: number): Promise<void> {
  await eventually(() => feed.chargedTo(account) === BigInt(bytes), `${bytes} bytes to be charged`)
  expect(feed.faults).toEqual([])
}

function expectBalanced(): void {
  expect(feed.leases.size).toBe(0)
  expect(feed.balances.get(account.access)).toBe(given - feed.chargedTo(account))
}

describe('a running gateway', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await start()
  })
  afterEach(() => bench.close())

  it('serves cached accounts, within its leases, for as long as the server is unreachable', async () => {
    const known = await connectTo(bench.port)
    await echo(known, 1000)
    await expectCharged(2000)
    feed.away = true
    // Cached answers have expired, and the gateway is notified that it may have missed changes.
    feed.emit({ type: 'reset' })
    await echo(known, 1000)
    known.destroy()
    const again = await connectTo(bench.port)
    expect(again.status).toBe('200')
    await echo(again, 1000)
    again.destroy()
    // Guessing must not reveal which accounts are cached.
    const wrong = await connectTo(bench.port, 'wrong')
    const stranger = await connectTo(bench.port, 'secret', 'bob1')
    expect(stranger.status).toBe('503')
    expect(withoutId(wrong)).toBe(withoutId(stranger))
    for (const client of [wrong, stranger]) client.destroy()
    feed.away = false
    await expectCharged(6000)
    await bench.close()
    expectBalanced()
  })

  it('does not admit an account whose change was announced before the server became unreachable', async () => {
    ;(await connectTo(bench.port)).destroy()
    feed.emit({ type: 'account_changed', login: 'alice1' })
    feed.away = true
    const client = await connectTo(bench.port)
    expect(client.status).toBe('503')
    client.destroy()
    feed.away = false
  })

  it('cuts sessions revoked in the meantime when the server is back', async () => {
    const client = await connectTo(bench.port)
    await echo(client, 1000)
    feed.away = true
    feed.accounts.set('residential alice1', { ...account, blocked: true })
    await echo(client, 1000)
    feed.away = false
    feed.emit({ type: 'reset' })
    await client.untilEnd(2000)
  })

  it('writes secrets to files that only their owner can read', async () => {
    ;(await connectTo(bench.port)).destroy()
    await bench.close()
    const files = readdirSync(directory).filter((file) => file.endsWith('.known'))
    expect(files).toHaveLength(1)
    for (const file of files) expect(statSync(path.join(directory, file)).mode & 0o777).toBe(0o600)
  })
})

describe('a gateway that is restarted while the server is unreachable', () => {
  it('continues from its saved state, and every byte is charged once', async () => {
    const first = await start()
    const before = await connectTo(first.port)
    await echo(before, 1000)
    await expectCharged(2000)
    feed.away = true
    await echo(before, 2000)
    before.destroy()
    await first.gateway.stop({ graceMs: 0 })

    const second = await start()
    expect(second.gateway.boot).toBe(first.gateway.boot)
    const after = await connectTo(second.port)
    expect(after.status).toBe('200')
    await echo(after, 3000)
    after.destroy()
    await second.gateway.stop({ graceMs: 0 })

    const third = await start()
    const last = await connectTo(third.port)
    await echo(last, 4000)
    expect(feed.chargedTo(account)).toBe(2000n)
    feed.away = false
    await echo(last, 5000)
    last.destroy()
    await expectCharged(30_000)
    await third.close()
    expectBalanced()
    expect(readdirSync(directory).filter((file) => /\.(journal|leases)$/.test(file))).toEqual([])
  })

  it('cuts tunnels opened by rights that were revoked meanwhile, once the server answers', async () => {
    const first = await start()
    ;(await connectTo(first.port)).destroy()
    feed.away = true
    await first.gateway.stop({ graceMs: 0 })
    const second = await start()
    const client = await connectTo(second.port)
    expect(client.status).toBe('200')
    feed.accounts.set('residential alice1', { ...account, blocked: true })
    // Nothing was announced to this process: its first connection to the server is the one that succeeds now.
    feed.away = false
    await client.untilEnd(10_000)
    await second.close()
  })

  it('relays no byte more than was leased', async () => {
    feed.largestGrant = 10_000n
    const first = await start()
    const client = await connectTo(first.port)
    await echo(client, 1000)
    await eventually(() => feed.chargedTo(account) === 2000n, 'the first bytes to be charged')
    feed.away = true
    const leased = [...feed.leases.values()].reduce((sum, lease) => sum + lease.left, 0n)
    client.destroy()
    await first.gateway.stop({ graceMs: 0 })
    const second = await start()
    const greedy = await connectTo(second.port)
    const head = greedy.bytes.length
    greedy.write('x'.repeat(100_000))
    // The rest of the lease was relayed: half up and half down, or all of it up.
    await eventually(() => second.gateway.stats().leasedBytes === 0, 'the lease to be spent')
    expect(greedy.bytes.length - head).toBeLessThanOrEqual(Number(leased))
    greedy.destroy()
    await second.gateway.stop({ graceMs: 0 })
    feed.away = false
    const third = await start()
    await third.close()
    expect(feed.chargedTo(account)).toBeLessThanOrEqual(2000n + leased)
    expect(feed.faults).toEqual([])
    expectBalanced()
  })

  /** A start without valid state waits for the server, and is a new boot. */
  async function expectToWait({ boot }: { boot: string }): Promise<void> {
    const settled = vi.spyOn(feed, 'report')
    const greeted = vi.spyOn(feed, 'hello')
    const starting = start()
    await eventually(
      () => settled.mock.calls.length + greeted.mock.calls.length > 0,
      'the server to be asked',
    )
    feed.away = false
    const bench = await starting
    expect(bench.gateway.boot).not.toBe(boot)
    await bench.close()
    expect(feed.faults).toEqual([])
    expectBalanced()
  }

  /** A gateway that was stopped while it held a lease and the server was unreachable. */
  async function stopped(): Promise<{ sheet: string; boot: string }> {
    const bench = await start()
    const client = await connectTo(bench.port)
    await echo(client, 1000)
    feed.away = true
    client.destroy()
    await bench.gateway.stop({ graceMs: 0 })
    const sheet = path.join(directory, 'g1.leases')
    expect(existsSync(sheet)).toBe(true)
    return { sheet, boot: bench.gateway.boot }
  }

  const spoil = (sheet: string, parts: object) =>
    writeFileSync(
      sheet,
      printLine({ ...(readLine(readFileSync(sheet, 'utf8').trimEnd()) as object), ...parts }),
    )

  it('reports what the previous boot could not, with and without clients', async () => {
    const { boot } = await stopped()
    const second = await start()
    expect(second.gateway.boot).toBe(boot)
    feed.away = false
    await expectCharged(2000)
    await second.close()
    expectBalanced()
  })

  it('waits when the machine was rebooted in the meantime: the journal may have lost its end', async () => {
    const last = await stopped()
    spoil(last.sheet, { machine: 'another start' })
    await expectToWait(last)
  })

  it('waits when the leases were saved long ago', async () => {
    const last = await stopped()
    spoil(last.sheet, { saved_at_ms: Date.now() - 11 * 60_000 })
    await expectToWait(last)
  })

  it('waits when a report between the leases and the end of the journal is missing', async () => {
    const last = await stopped()
    spoil(last.sheet, { sequence: -1 })
    await expectToWait(last)
  })

  it('waits when the saved state is truncated', async () => {
    const last = await stopped()
    writeFileSync(last.sheet, readFileSync(last.sheet).subarray(0, 60))
    await expectToWait(last)
  })

  it('waits when a boot in between has reported the end of the leases to the server', async () => {
    const last = await stopped()
    feed.away = false
    const between = await start()
    expect(existsSync(last.sheet)).toBe(false)
    feed.away = true
    await between.gateway.stop({ graceMs: 0 })
    await expectToWait(between.gateway)
  })
})

describe('a gateway that is killed while the server is unreachable', () => {
  let server: Server
  let child: ChildProcess | null = null
  beforeEach(() => {
    server = createServer((socket) => void serveFeed(feed, socket))
  })
  afterEach(() => {
    child?.kill('SIGKILL')
    server.close()
  })

  async function startChild(): Promise<number> {
    const script = fileURLToPath(new URL('testing/child.ts', import.meta.url))
    const { port } = server.address() as AddressInfo
    child = spawn(process.execPath, [script, String(port), directory, 'keeps-going'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    return Number(line.toString())
  }

  async function kill(): Promise<void> {
    const running = child
    running?.kill('SIGKILL')
    if (running !== null) await once(running, 'exit')
  }

  it('is restarted three times with what its journal proves', async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    let relayed = 0
    const sheet = path.join(directory, 'killed.leases')
    let port = await startChild()
    let client = await connectTo(port)
    await echo(client, 1000)
    relayed += 2000
    await expectCharged(relayed)
    const hasLease = () => existsSync(sheet) && readFileSync(sheet, 'utf8').includes('"lease"')
    await eventually(hasLease, 'the leases to be written down')
    feed.away = true
    for (let round = 0; round < 3; round++) {
      await echo(client, 1000)
      relayed += 2000
      const inJournal = `"charged_bytes":{"$n":"`
      const journalled = () =>
        readdirSync(directory)
          .filter((name) => name.endsWith('.journal'))
          .reduce((sum, name) => {
            const text = readFileSync(path.join(directory, name), 'utf8')
            return (
              sum +
              text
                .split(inJournal)
                .slice(1)
                .reduce((all, part) => all + Number.parseInt(part, 10), 0)
            )
          }, 0)
      await eventually(() => journalled() >= relayed, 'the journal to have it')
      await kill()
      port = await startChild()
      client = await connectTo(port)
      expect(client.status).toBe('200')
    }
    feed.away = false
    await echo(client, 1000)
    relayed += 2000
    await expectCharged(relayed)
    client.destroy()
    await kill()
    await startChild()
    expectBalanced()
  })

  it('does not count as unspent what was settled since the leases were saved', async () => {
    feed.largestGrant = 10_000n
    feed.balances.set(account.access, 10_000n)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = await connectTo(await startChild())
    await echo(client, 1000)
    const sheet = path.join(directory, 'killed.leases')
    const hasLease = () => existsSync(sheet) && readFileSync(sheet, 'utf8').includes('"lease"')
    await eventually(hasLease, 'the leases to be written down')
    await echo(client, 3000)
    await expectCharged(8000)
    feed.away = true
    await kill()
    const greedy = await connectTo(await startChild())
    expect(greedy.status).toBe('200')
    greedy.write('x'.repeat(50_000))
    await eventually(() => readFileSync(sheet, 'utf8').includes('"bytes":0'), 'the rest to be spent')
    greedy.destroy()
    feed.away = false
    await expectCharged(10_000)
  })
})
