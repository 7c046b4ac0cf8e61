/** A gateway over a feed in memory, and raw clients. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway, type Gateway, type GatewayOptions } from '../gateway.ts'
import { RawClient } from './client.ts'
import { MemoryFeed } from '#feed/testing'

export const silentLog = { debug() {}, info() {}, warn() {}, error() {} }

/** A log that collects errors: a test fails when a bug was logged. */
export function strictLog(errors: unknown[]): GatewayOptions['log'] {
  return { ...silentLog, error: (fields, message) => void errors.push({ message, ...fields }) }
}

/** Options of every bench: set by a test file that runs other suites over ordinary sockets. */
export const everyBench: Pick<GatewayOptions, 'socketKind'> = {}

export interface Bench {
  feed: MemoryFeed
  gateway: Gateway
  port: number
  directory: string
  /** Bugs that were logged. */
  errors: unknown[]
  /** A new client that has sent this; it is closed with the bench. */
  say(text: string): RawClient
  close(): Promise<void>
}

/** A gateway on loopback over a feed in memory, with one account `alice1` / `secret` and one exit. */
export async function startBench(
  options: Partial<GatewayOptions> & { balance?: bigint; memory?: MemoryFeed } = {},
): Promise<Bench> {
  const { balance, memory, ...overrides } = options
  const feed = memory ?? new MemoryFeed()
  if (memory === undefined) {
    feed.addAccount('alice1', 'secret', balance ?? 1_000_000_000_000n)
    feed.addExit()
  }
  const directory = options.journalDir ?? mkdtempSync(join(tmpdir(), 'gateway-'))
  const errors: unknown[] = []
  const clients: RawClient[] = []
  const gateway = await startGateway({
    gateway: 'g1',
    journalDir: directory,
    feed,
    ports: [{ pool: 'residential', port: 0 }],
    host: '127.0.0.1',
    reusePort: false,
    allow: [{ cidr: { ip: { family: 4, value: 0x7f000001n }, prefix: 32 }, port: null }],
    log: strictLog(errors),
    // Tests that wait for a lease to go back need not wait for a minute.
    idleLeaseMs: 1000,
    ...everyBench,
    ...overrides,
  })
  const port = gateway.addresses[0]?.port ?? 0
  return {
    feed,
    gateway,
    port,
    directory,
    errors,
    say(text) {
      const client = new RawClient(port)
      clients.push(client)
      client.write(text)
      return client
    },
    async close() {
      for (const client of clients) client.destroy()
      await gateway.stop({ graceMs: 0 })
      if (options.journalDir === undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
}

export function basic(username = 'alice1', password = 'secret'): string {
  return `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`
}
