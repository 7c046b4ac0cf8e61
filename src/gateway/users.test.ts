/** Proxy users through real gateways over the database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { announceChange, endConnections, ensureAccess, findAccess } from '#proxies'
import { testDatabase } from '#test/database'
import { eventually } from '#test/eventually'
import { type Origin, pattern, startOrigin } from '#test/origin'
import { customerWith, feedKnowing, wrongInBooks } from '#test/traffic'
import { anySettings, newUser, userSecrets } from '#test/users'
import { balancesOf, creditTraffic, openMeter, type TrafficFeed, usedByUsers, userReserve } from '#traffic'
import {
  addToPool,
  changeUser,
  deleteUser,
  deleteUsers,
  freezeUser,
  freezeUsers,
  type ProxyUser,
  renewPassword,
  type UserSettings,
} from '#proxy-users'
import { basic, type Bench, startBench } from './testing/bench.ts'
import { RawClient } from './testing/client.ts'

const mb = 1_000_000n
const patience = { timeout: 10_000 }
const pool = 'residential'

let database: Database
let db: Database['db']
let origin: Origin
let feed: TrafficFeed
let benches: [Bench, Bench]
let exits: FeedExit[]

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  origin = await startOrigin()
  exits = [new MemoryFeed().addExit()]
  feed = await feedKnowing(database, { findAccess, listExits: async () => exits })
  benches = [await startBench({ feed, gateway: 'u1' }), await startBench({ feed, gateway: 'u2' })]
})
afterAll(async () => {
  for (const bench of benches) {
    await bench.close()
    expect(bench.errors).toEqual([])
  }
  await feed.close()
  await origin.close()
  expect(await wrongInBooks(db)).toEqual([])
  await database.close()
})

type User = ProxyUser & { password: string }

async function userWith(settings: Partial<UserSettings>, paid = 1000n * mb) {
  const who = await customerWith(db, { pool, paid })
  const user = await newUser(db, who.accessId, settings)
  const access = await findAccess(db, { pool, id: who.accessId })
  return { who, user, parent: access?.login ?? '' }
}

const head = ({ login, password }: Pick<User, 'login' | 'password'>, line = '') =>
  `${basic(`${login}${line}`, password)}\r\n`
const connect = (user: Pick<User, 'login' | 'password'>, line?: string) =>
  `CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n${head(user, line)}`

async function answerOf(request: string, bench = benches[0]): Promise<{ client: RawClient; head: number }> {
  const client = new RawClient(bench.port)
  client.write(request)
  await client.until(() => client.text.includes('\r\n\r\n'), 'the answer')
  return { client, head: client.text.indexOf('\r\n\r\n') + 4 }
}

async function refusedWith(request: string, status: number, code: string) {
  const { client } = await answerOf(request)
  await client.until(() => client.text.includes(code), code)
  expect(client.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  client.destroy()
}

const usedBy = async ({ id }: ProxyUser) =>
  (await usedByUsers(db, [id], { now: database.clock.now(), zone: 'UTC' })).get(id)?.totalBytes ?? 0n

describe('a limit', () => {
  it('that does not cover the head of a request is told, not an empty balance', async () => {
    const { user } = await userWith({ totalBytes: 200n })
    const request = `GET http://127.0.0.1:${origin.httpPort}/bytes/1 HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(300)}\r\n${head(user)}`
    for (let times = 0; times < 2; times++) await refusedWith(request, 402, 'user_limit_reached')
  })

  it('holds to the byte for four racing tunnels on two workers, inside a larger balance', async () => {
    const { who, user } = await userWith({ totalBytes: 10n * mb })
    const tunnels = await Promise.all([0, 1, 0, 1].map((index) => answerOf(connect(user), benches[index])))
    for (const { client } of tunnels) client.write(pattern(6_000_000))
    for (const { client } of tunnels) await client.untilEnd(30_000)
    for (const { client } of tunnels) client.destroy()
    await expect.poll(() => usedBy(user), patience).toBe(10n * mb)
    for (const bench of benches) {
      const { client } = await answerOf(connect(user), bench)
      expect(client.text).toMatch(/^HTTP\/1.1 402 /)
      expect(client.text).toContain('user_limit_reached')
      client.destroy()
    }
    expect(await usedBy(user)).toBe(10n * mb)
    expect((await who.balance())?.total).toBe(990n * mb)
  })
})

describe('a proxy user that may not go on', () => {
  const within2s = async (cut: (user: User) => Promise<unknown>, settings: Partial<UserSettings> = {}) => {
    const { user, parent, who } = await userWith(settings)
    const { client } = await answerOf(connect(user), benches[1])
    client.write('x')
    await client.until(() => client.text.endsWith('x'), 'the echo')
    const from = performance.now()
    await cut(user)
    await client.until(() => client.closed || client.ended, 'the cut', 2000)
    expect(performance.now() - from).toBeLessThan(2000)
    client.destroy()
    return { user, parent, who }
  }
  const change = (changes: Partial<UserSettings>) => (user: User) =>
    transaction(db, (tx) => changeUser(tx, user, changes))

  it('is cut within two seconds when it is frozen, refused with its reason, and served again when freed', async () => {
    const freeze = (isFrozen: boolean) => (user: User) =>
      transaction(db, (tx) => freezeUser(tx, user, { isFrozen, now: new Date() }))
    const { user } = await within2s(freeze(true))
    await refusedWith(connect(user), 403, 'user_frozen')
    await freeze(false)(user)
    const served = async () => {
      const { client } = await answerOf(connect(user))
      client.destroy()
      return client.text.slice(9, 12)
    }
    await expect.poll(served, patience).toBe('200')
  })

  it('is cut when it is deleted, and is unknown then', async () => {
    const { user } = await within2s((one) =>
      transaction(db, (tx) => deleteUser(tx, { secrets: userSecrets, reserve: userReserve }, one)),
    )
    await refusedWith(connect(user), 407, 'wrong_credentials')
  })

  it('is cut when its password is new, and the old one is wrong', async () => {
    const { user } = await within2s((one) => transaction(db, (tx) => renewPassword(tx, userSecrets, one)))
    await refusedWith(connect(user), 407, 'wrong_credentials')
  })

  it('is cut when its term ends, without an announcement', async () => {
    // Enough for a busy machine to connect before it.
    const expiresAt = new Date(Date.now() + 8000)
    const { user } = await userWith({ expiresAt })
    const { client } = await answerOf(connect(user), benches[1])
    client.write('x')
    await client.until(() => client.text.endsWith('x'), 'the echo')
    await client.until(() => client.closed || client.ended, 'the cut', 10_000)
    expect(Date.now() - expiresAt.getTime()).toBeLessThan(2000)
    client.destroy()
    await refusedWith(connect(user), 403, 'user_expired')
  })

  it('is cut when its term is set to a past time, an address other than its own is listed, or a host is denied', async () => {
    const term = await within2s(change({ expiresAt: new Date(Date.now() - 1000) }))
    await refusedWith(connect(term.user), 403, 'user_expired')
    const elsewhere = await within2s(change({ addresses: ['192.0.2.0/24'] }))
    await refusedWith(connect(elsewhere.user), 403, 'user_address_denied')
    const hosts = await within2s(change({ allowedHosts: ['*.example.com'] }))
    await refusedWith(connect(hosts.user), 403, 'target_denied')
  })

  it('is cut when its limit is lowered below what it used', async () => {
    const { user, who } = await userWith({ totalBytes: 100n * mb })
    const { client } = await answerOf(connect(user))
    client.write(pattern(100_000))
    await client.until(() => client.bytes.length > 100_000, 'the echo')
    await change({ totalBytes: 1000n })(user)
    // The recalled lease is given back within half a second, and no other is granted.
    await eventually(() => {
      if (!client.closed) client.write('x')
      return client.ended || client.closed
    }, 'the cut')
    client.destroy()
    await refusedWith(connect(user), 402, 'user_limit_reached')
    await expect.poll(() => usedBy(user), patience).toBeGreaterThanOrEqual(200_000n)
    expect((await who.balance())?.total).toBe(1000n * mb - (await usedBy(user)))
  })

  it('is cut when it is frozen or deleted with others by one event', async () => {
    const deps = { secrets: userSecrets, reserve: userReserve }
    const acts = [
      (one: User, numbers: bigint[]) =>
        transaction(db, (tx) =>
          freezeUsers(tx, { accessId: one.accessId, numbers }, { isFrozen: true, now: new Date() }),
        ),
      (one: User, numbers: bigint[]) =>
        transaction(db, (tx) => deleteUsers(tx, deps, { accessId: one.accessId, numbers })),
    ]
    for (const act of acts)
      await within2s(async (one) => {
        const other = await newUser(db, one.accessId, {})
        await act(one, [other.nr, one.nr])
      })
  })

  it('is cut when its login changes, and the new login is admitted at once', async () => {
    const { user } = await within2s(async (one) => {
      await refusedWith(connect({ ...one, login: 'renamed.user' }), 407, 'wrong_credentials')
      await transaction(db, (tx) => changeUser(tx, one, {}, { login: 'renamed.user', secrets: userSecrets }))
    })
    await refusedWith(connect(user), 407, 'wrong_credentials')
    const { client } = await answerOf(connect({ ...user, login: 'renamed.user' }, '-cc-de'))
    expect(client.text).toMatch(/^HTTP\/1.1 200 /)
    client.destroy()
  })

  it('is cut with its blocked account', async () => {
    const { user, parent } = await within2s(async (one) => {
      await db
        .updateTable('account')
        .set({ blocked_at: new Date() })
        .where('id', 'in', db.selectFrom('access').select('account_id').where('id', '=', one.accessId))
        .execute()
      const access = await findAccess(db, { pool, id: one.accessId })
      await transaction(db, (tx) => announceChange(tx, access?.login ?? ''))
    })
    await refusedWith(connect(user), 403, 'account_blocked')
    expect(parent).not.toBe('')
  })
})

describe('admission of a proxy user', () => {
  it('refuses every other password and login alike', async () => {
    const { user, parent } = await userWith({})
    const other = await userWith({})
    await refusedWith(connect({ login: user.login, password: other.user.password }), 407, 'wrong_credentials')
    await refusedWith(connect({ login: parent, password: user.password }), 407, 'wrong_credentials')
    await refusedWith(connect({ login: 'ubcdfghjkmnp', password: user.password }), 407, 'wrong_credentials')
  })

  it('keeps to its countries: a line without one is served by them, and another is refused', async () => {
    const { user } = await userWith({ countries: ['de', 'fr'] })
    await refusedWith(connect(user, '-cc-us'), 403, 'user_country_denied')
    await refusedWith(connect(user, '-st-us_ca'), 403, 'user_country_denied')
    const { client } = await answerOf(connect(user))
    expect(client.text).toMatch(/^HTTP\/1.1 200 /)
    client.destroy()
  })

  it('counts its connections on both workers, and those of the account with them', async () => {
    const { user } = await userWith({ connections: 1 })
    const first = await answerOf(connect(user), benches[0])
    expect(first.client.text).toMatch(/^HTTP\/1.1 200 /)
    const { client } = await answerOf(connect(user), benches[1])
    expect(client.text).toMatch(/^HTTP\/1.1 429 /)
    client.destroy()
    first.client.destroy()
  })

  it('with a limit of zero serves nothing, and reports when the account has no traffic', async () => {
    const { user } = await userWith({ totalBytes: 0n })
    await refusedWith(connect(user), 402, 'user_limit_reached')
    const poor = await userWith({ totalBytes: 10n * mb }, 0n)
    await refusedWith(connect(poor.user), 402, 'no_traffic')
  })
})

describe('a login of several pools', () => {
  it('is distinguished by the port, and charged, frozen and ended in each pool exactly', async () => {
    const ports = [pool, 'mobile'].map((name) => ({ pool: name, port: 0 }))
    exits = [...exits, new MemoryFeed().addExit('mobile')]
    const bench = await startBench({ feed, gateway: 'u3', ports })
    const [one = 0, two = 0] = bench.gateway.addresses.map(({ port }) => port)
    const { who, user } = await userWith({ totalBytes: 10_000n })
    const { accountId } = who
    const { id: accessId } = await ensureAccess(db, userSecrets, { accountId, pool: 'mobile' })
    await openMeter(db, { accessId, accountId, pool: 'mobile' })
    await creditTraffic(db, {
      accessId,
      kind: 'test_credit',
      part: 'paid',
      bytes: 100_000n,
      reference: `${accessId}`,
    })
    const open = (port: number) =>
      new RawClient(port).connect(`127.0.0.1:${origin.echoPort}`, basic(user.login, user.password))
    expect((await open(two)).status).toBe('407')
    const there = await transaction(db, (tx) =>
      addToPool(tx, userSecrets, user, {
        accessId,
        settings: { ...anySettings, totalBytes: 20_000n },
        most: 10,
        reserve: userReserve,
      }),
    )
    await expect.poll(async () => (await open(two)).status, patience).toBe('200')
    for (const port of [one, two]) {
      const client = await open(port)
      client.write(pattern(50_000))
      await client.untilEnd(10_000)
      client.destroy()
    }
    await expect.poll(() => usedBy(user), patience).toBe(10_000n)
    await expect.poll(() => usedBy(there), patience).toBe(20_000n)
    expect((await balancesOf(db, accountId)).get('mobile')?.total).toBe(80_000n)
    await transaction(db, (tx) => changeUser(tx, user, { totalBytes: null }))
    await transaction(db, (tx) => changeUser(tx, there, { totalBytes: null }))
    await expect.poll(async () => (await open(one)).status, patience).toBe('200')
    await expect.poll(async () => (await open(two)).status, patience).toBe('200')
    const [first, second] = [await open(one), await open(two)]
    const { login } = user
    await transaction(db, (tx) =>
      endConnections(tx, { accessId, id: there.id, login, pool: 'mobile' }, { kind: 'all' }),
    )
    await second.until(() => second.closed || second.ended, 'the end', 2000)
    first.write('x')
    await first.until(() => first.text.endsWith('x'), 'the echo')
    await transaction(db, (tx) => freezeUser(tx, there, { isFrozen: true, now: new Date() }))
    await first.until(() => first.closed || first.ended, 'the cut', 2000)
    await bench.close()
    expect(bench.errors).toEqual([])
  })
})
