/** Addresses that stand for a proxy user, on two gateways over the database. */
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { MemoryFeed } from '#feed/testing'
import { findAccess, resetPassword, savedSlot } from '#proxies'
import { changeUser, deleteUser, freezeUser } from '#proxy-users'
import { testDatabase } from '#test/database'
import { type Origin, startOrigin } from '#test/origin'
import { customerWith, feedKnowing, wrongInBooks } from '#test/traffic'
import { newUser, userSecrets } from '#test/users'
import { hasTraffic, type TrafficFeed, usedByUsers, userReserve } from '#traffic'
import {
  addAddress,
  addressesToProve,
  entriesOf,
  proveAddress,
  removeAddress,
  whitelistedAccess,
} from '#whitelist'
import { basic, type Bench } from './testing/bench.ts'
import { RawClient } from './testing/client.ts'
import { startTwoGateways, type TwoGateways } from './testing/two.gateways.ts'

const mb = 1_000_000n
const patience = { timeout: 10_000 }
const pool = 'residential'

let database: Database
let db: Database['db']
let origin: Origin
let feed: TrafficFeed
let benches: [Bench, Bench]
let two: TwoGateways

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  origin = await startOrigin()
  const exit = new MemoryFeed().addExit()
  feed = await feedKnowing(database, {
    findAccess,
    savedSlot,
    addressesToProve,
    proveAddress,
    whitelistedAccess: (at, key) => whitelistedAccess(at, key, { hasTraffic }),
    listExits: async () => [exit],
  })
  two = await startTwoGateways(feed, 'a')
  benches = two.benches
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

let hosts = 1
const newAddress = () => `127.0.2.${++hosts}`

async function customer(settings: Parameters<typeof newUser>[2] = {}) {
  const who = await customerWith(db, { pool, paid: 1000n * mb })
  const password = await transaction(db, (tx) => resetPassword(tx, userSecrets, who))
  const { login = '' } = (await findAccess(db, { pool, id: who.accessId })) ?? {}
  const user = await newUser(db, who.accessId, settings)
  const list = (address: string, whose: typeof user | null = user) =>
    addAddress(db, who, address, { from: null, now: database.clock.now(), user: whose })
  return { who, own: { login, password }, user, list }
}

async function from(address: string, fields = '', bench = benches[0]) {
  const socket = connect({ host: '127.0.0.1', port: bench.port, localAddress: address, allowHalfOpen: true })
  return new RawClient(socket).connect(`127.0.0.1:${origin.echoPort}`, fields)
}

async function statusFrom(address: string, fields = '', bench = benches[0]) {
  const client = await from(address, fields, bench)
  client.destroy()
  return client.status
}

/** Connects with a password, and waits until the address is proven. */
async function prove(
  who: { accountId: bigint },
  address: string,
  login: { login: string; password: string },
) {
  expect(await statusFrom(address, basic(login.login, login.password))).toBe('200')
  const isProven = async () =>
    (await entriesOf(db, { accountId: who.accountId, pool })).some(
      (one) => one.address === address && one.provenAt !== null,
    )
  await expect.poll(isProven, patience).toBe(true)
}

const chargedTo = async (id: bigint) =>
  (await usedByUsers(db, [id], { now: database.clock.now(), zone: 'UTC' })).get(id)?.totalBytes ?? 0n

it('a gateway serves a proven address without a password, charged to the proxy user within its limits', async () => {
  const { who, user, list } = await customer({ totalBytes: 100_000n })
  const address = newAddress()
  await list(address)
  expect(await statusFrom(address)).toBe('407')
  await prove(who, address, user)
  for (const bench of benches) await expect.poll(() => statusFrom(address, '', bench), patience).toBe('200')
  const client = await from(address, '', benches[1])
  client.write('x'.repeat(80_000))
  await client.untilEnd(10_000)
  await expect.poll(() => chargedTo(user.id), patience).toBe(100_000n)
  expect((await who.balance())?.total).toBe(1000n * mb - 100_000n)
  expect(await statusFrom(address)).toBe('402')
})

it('an address of a proxy user is proven by its own proxy user or the account alone; another’s connection proves nothing of it', async () => {
  const { who, own, user, list } = await customer()
  const stranger = await customer()
  const other = await newUser(db, who.accessId)
  const [address, ofAccount] = [newAddress(), newAddress()]
  await list(address)
  await list(ofAccount, null)
  for (const login of [other, stranger.user, stranger.own])
    expect(await statusFrom(address, basic(login.login, login.password))).toBe('200')
  // A proxy user does not prove what stands for the account.
  expect(await statusFrom(ofAccount, basic(user.login, user.password))).toBe('200')
  await prove(who, address, own)
  const entries = await entriesOf(db, { accountId: who.accountId, pool })
  expect(entries.map(({ address: ip, provenAt, proxyUser }) => [ip, provenAt !== null, proxyUser])).toEqual([
    [address, true, user.nr],
    [ofAccount, false, null],
  ])
  // The account's own login from there is charged to the account.
  const client = await from(address, basic(own.login, own.password))
  client.write('x'.repeat(1000))
  await client.until(() => client.text.endsWith('x'.repeat(1000)), 'the echo')
  client.destroy()
  await expect.poll(async () => (await who.balance())?.total, patience).toBe(1000n * mb - 2000n)
  expect(await chargedTo(user.id)).toBe(0n)
})

it('an address of a proxy user belongs to one: a neighbour’s proven address is refused, and so is one listed for another', async () => {
  const { who, own, user, list } = await customer()
  const stranger = await customer()
  const [theirs, mine] = [newAddress(), newAddress()]
  await stranger.list(theirs, null)
  await prove(stranger.who, theirs, stranger.own)
  await expect(list(theirs)).rejects.toMatchObject({ code: 'ip_taken' })
  await list(mine)
  await list(mine)
  const other = await newUser(db, who.accessId)
  for (const whose of [null, other])
    await expect(list(mine, whose)).rejects.toMatchObject({ code: 'ip_listed' })
  // A claim for a proxy user disturbs no customer, not even on slot ports.
  await stranger.list(mine, null)
  const slot = { pool, address: mine, port: 'slot' } as const
  expect((await whitelistedAccess(db, slot, { hasTraffic }))?.id).toBe(stranger.who.accessId)
  await prove(who, mine, user)
  expect((await whitelistedAccess(db, slot, { hasTraffic }))?.proxyUserId).toBe(user.id)
  expect((await entriesOf(db, { accountId: stranger.who.accountId, pool })).length).toBe(1)
  await expect(stranger.list(mine, stranger.user)).rejects.toMatchObject({ code: 'ip_taken' })
  expect(own.login).not.toBe('')
})

it('an address of a proxy user has at most ten addresses for a proxy user', async () => {
  const { list } = await customer()
  for (let count = 0; count < 10; count++) await list(newAddress())
  await expect(list(newAddress())).rejects.toMatchObject({ code: 'whitelist_full', details: { limit: 10 } })
})

it('an address of a proxy user is cut with the proxy user, when it is removed, frozen or deleted, also after a gateway missed it', async () => {
  const ways = {
    removed: ({ who }: Awaited<ReturnType<typeof customer>>, address: string) =>
      removeAddress(db, who, address),
    frozen: ({ user }: Awaited<ReturnType<typeof customer>>) =>
      transaction(db, (tx) => freezeUser(tx, user, { isFrozen: true, now: new Date() })),
    restricted: ({ user }: Awaited<ReturnType<typeof customer>>) =>
      transaction(db, (tx) => changeUser(tx, user, { addresses: ['192.0.2.0/24'] })),
    deleted: ({ user }: Awaited<ReturnType<typeof customer>>) =>
      transaction(db, (tx) => deleteUser(tx, { secrets: userSecrets, reserve: userReserve }, user)),
  }
  const after = { removed: '407', frozen: '403', restricted: '403', deleted: '407' }
  for (const [way, act] of Object.entries(ways)) {
    const made = await customer()
    const address = newAddress()
    await made.list(address)
    await prove(made.who, address, made.user)
    for (const bench of benches) await expect.poll(() => statusFrom(address, '', bench), patience).toBe('200')
    const [first, second] = [await from(address), await from(address, '', benches[1])]
    two.isCutOff = true
    await act(made, address)
    await first.until(() => first.closed || first.ended, `the cut: ${way}`, 2000)
    two.isCutOff = false
    two.tellSecond({ type: 'reset' })
    await second.until(() => second.closed || second.ended, `the cut after a reset: ${way}`, 2000)
    for (const bench of benches)
      expect(await statusFrom(address, '', bench)).toBe(after[way as keyof typeof after])
    const left = await entriesOf(db, { accountId: made.who.accountId, pool })
    expect(left.length).toBe(way === 'deleted' || way === 'removed' ? 0 : 1)
  }
})
