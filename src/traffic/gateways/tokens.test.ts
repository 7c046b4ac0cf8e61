import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Database } from '#db'
import { connectFeed, type FeedClient } from '#feed/client'
import { dialFeed } from '#feed/dial'
import { type FeedListener, listenFeed } from '#feed/listen'
import { customerWith } from '#test/traffic'
import { testDatabase } from '#test/database'
import { eventually } from '#test/eventually'
import { createFeed, type FeedDeps, type TrafficFeed } from '../feed.ts'
import { type GatewayKeys, makeGatewayToken, openGatewayKeys, revokeGatewayToken } from './tokens.ts'

const shared = 'a-secret-that-all-gateways-of-the-shop-know'
let home: Database
let feed: TrafficFeed
let keys: GatewayKeys
let door: FeedListener
let folder: string
let refused: string[]
let clients: FeedClient[]
beforeAll(async () => {
  home = await testDatabase()
})
afterAll(() => home.close())
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tokens-'))
  refused = []
  clients = []
  feed = await createFeed(home, { listExits: async () => [] } as unknown as FeedDeps)
  await serve(shared)
})
afterEach(async () => {
  for (const client of clients) client.close()
  await door.close()
  keys.close()
  await feed.close()
  await home.pool.query('truncate gateway_token')
  rmSync(folder, { recursive: true })
})

const address = () => ({ path: path.join(folder, 'feed.sock') })

async function serve(secret: string | null): Promise<void> {
  const onFault = (fault: unknown) => void refused.push(String(fault))
  keys = await openGatewayKeys(home.db, { shared: secret, feed, onFault })
  const onRefused = (_from: string, fault: Error) => void refused.push(fault.message)
  door = await listenFeed({ feed, address: address(), keys, tls: null, onRefused })
}

function client(token: string): FeedClient {
  const made = connectFeed({
    connect: () => dialFeed({ address: address(), token, ca: null }),
    retryMs: { first: 10, last: 20 },
    callTimeoutMs: 2000,
  })
  clients.push(made)
  return made
}

async function tokenOf(gateway: string, replaces = false): Promise<string> {
  const made = await makeGatewayToken(home.db, { gateway, replaces })
  if (typeof made === 'string') throw new Error(made)
  // Waits until the server has read the new token.
  await eventually(() => keys.admit(made.token) !== null, 'the token is known')
  return made.token
}

const boot = (gateway: string) => ({ gateway, boot: 'b1' })
const report = (gateway: string) => ({ ...boot(gateway), sequence: 1, at_ms: 0, lines: [] })

it('the feed lets a gateway with its own token speak under its own name only, in every call that has one', async () => {
  const own = client(await tokenOf('gw1'))
  for (const name of ['gw1-0', 'gw1-11', 'gw1-b-0']) await own.hello(boot(name))
  const { accessId } = await customerWith(home.db, { pool: 'mobile', paid: 1_000_000n })
  const request = { access: accessId, want_bytes: 1000n }
  expect(await own.lease(boot('gw1-0'), request)).toMatchObject({ outstanding: false })
  const presence = {
    version: '1',
    address: 'a',
    workers: 1,
    up_ms: 1,
    state: 'running',
    reports_waiting: 0,
    connections: 0,
  } as const
  for (const name of ['gw2-0', 'gw1x-0', 'gw1-0-b', 'gw', '']) {
    const foreign = [
      own.hello(boot(name)),
      own.lease(boot(name), request),
      own.permits(boot(name), { access: accessId, want: 1 }),
      own.heartbeat(boot(name)),
      own.report(report(name)),
      own.record({ unkept: [], batch: { ...boot(name), run: 'r', number: 1, lines: '' } }),
      own.present({ ...presence, name }),
      own.sessions({ gateway: name, question: '1', open: 0, sessions: [] }),
    ]
    await Promise.all(foreign.map((one) => expect(one).rejects.toThrow('does not speak for the gateway')))
  }
  // Reported once per connection, however often the gateway retries.
  expect(refused).toHaveLength(1)
  const { rows } = await home.pool.query(`select gateway from gateway_boot where gateway not like 'gw1-%'`)
  expect(rows).toEqual([])
})

it('the feed ends the connections of a revoked or replaced token at once, and only these', async () => {
  const [first, other] = [await tokenOf('gw1'), await tokenOf('gw2')]
  const [revoked, going, all] = [client(first), client(other), client(shared)]
  for (const one of [revoked, going, all]) await one.exits()
  await revokeGatewayToken(home.db, 'gw1')
  await eventually(() => !revoked.connected, 'the end of the revoked one')
  expect([going.connected, all.connected]).toEqual([true, true])
  await expect(dialFeed({ address: address(), token: first, ca: null })).rejects.toThrow('revoked')
  const next = await tokenOf('gw2', true)
  await eventually(() => !going.connected, 'the end of the replaced one')
  await client(next).heartbeat(boot('gw2-0'))
  // A revoked gateway may be given a new token.
  await client(await tokenOf('gw1')).heartbeat(boot('gw1-0'))
  await expect(dialFeed({ address: address(), token: first, ca: null })).rejects.toThrow('revoked')
})

it('the feed does not let the shared secret speak for gateways that have or had an own token', async () => {
  const all = client(shared)
  await all.hello(boot('gw1-0'))
  await tokenOf('gw1')
  await expect(all.lease(boot('gw1-0'), { access: 1n, want_bytes: 1n })).rejects.toThrow('does not speak')
  await expect(all.heartbeat(boot('gw1-b-3'))).rejects.toThrow('does not speak')
  await revokeGatewayToken(home.db, 'gw1')
  await expect(all.report(report('gw1-0'))).rejects.toThrow('does not speak')
  await all.heartbeat(boot('gw3-0'))
})

it('the feed accepts no shared secret when there is none, and no token that was not made here', async () => {
  await door.close()
  keys.close()
  await serve(null)
  const own = await tokenOf('gw1')
  await client(own).heartbeat(boot('gw1-0'))
  const forged = `tpgw.gw1.${'x'.repeat(43)}`
  for (const token of [shared, forged, '', own.replace('gw1', 'gw2')])
    await expect(dialFeed({ address: address(), token, ca: null })).rejects.toThrow('FEED_TOKEN')
})
