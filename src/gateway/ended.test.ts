/** Connections that a customer ends, on two gateways over the database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import type { FeedExit } from '#feed'
import { type ConnectionRecord, parseConnection } from '#feed/connection.record'
import { MemoryFeed } from '#feed/testing'
import { endConnections, type Ending, findAccess, resetPassword, savedSlot } from '#proxies'
import { changeUser, type ProxyUser } from '#proxy-users'
import { testDatabase } from '#test/database'
import { type Origin, pattern, startOrigin } from '#test/origin'
import { customerWith, feedKnowing, wrongInBooks } from '#test/traffic'
import { newUser, userSecrets } from '#test/users'
import { type TrafficFeed, usedByUsers } from '#traffic'
import { basic, type Bench, startBench } from './testing/bench.ts'
import { RawClient } from './testing/client.ts'
import { type FakeUpstream, startUpstream } from './testing/proxy.ts'
import { startTwoGateways, type TwoGateways } from './testing/two.gateways.ts'

const mb = 1_000_000n
const patience = { timeout: 10_000 }
const pool = 'residential'

let database: Database
let db: Database['db']
let origin: Origin
let upstreams: [FakeUpstream, FakeUpstream]
let feed: TrafficFeed
let benches: [Bench, Bench]
const records: ConnectionRecord[] = []
let two: TwoGateways

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  origin = await startOrigin()
  upstreams = [await startUpstream({ kind: 'http' }), await startUpstream({ kind: 'http' })]
  const memory = new MemoryFeed()
  const exits: FeedExit[] = upstreams.map(({ port }) =>
    memory.addExit(pool, { kind: 'http', host: '127.0.0.1', port }),
  )
  feed = await feedKnowing(database, {
    findAccess,
    savedSlot,
    listExits: async () => exits,
    keepRequests: async (_db, { batch }) => {
      for (const line of batch.lines.split('\n')) if (line !== '') records.push(parseConnection(line))
    },
  })
  two = await startTwoGateways(feed, 'e')
  benches = two.benches
})
afterAll(async () => {
  for (const bench of benches) {
    await bench.close()
    expect(bench.errors).toEqual([])
  }
  await feed.close()
  await origin.close()
  for (const upstream of upstreams) await upstream.close()
  expect(await wrongInBooks(db)).toEqual([])
  await database.close()
})

interface Whose {
  id: bigint
  login: string
  password: string
  accessId: bigint
}

async function customer() {
  const who = await customerWith(db, { pool, paid: 1000n * mb })
  const password = await transaction(db, (tx) => resetPassword(tx, userSecrets, who))
  const access = await findAccess(db, { pool, id: who.accessId })
  const own: Whose = { id: who.accessId, login: access?.login ?? '', password, accessId: who.accessId }
  const made = await newUser(db, who.accessId)
  return { own, user: made as ProxyUser & Whose, balance: who.balance }
}

const end = ({ accessId, id, login }: Whose, ending: Ending) =>
  transaction(db, (tx) => endConnections(tx, { accessId, id, login, pool }, ending))

interface Opened {
  client: RawClient
  requestId: string
}

async function open({ login, password }: Whose, line = '', bench = benches[0]): Promise<Opened> {
  const client = await new RawClient(bench.port).connect(
    `127.0.0.1:${origin.echoPort}`,
    basic(`${login}${line}`, password),
  )
  expect(client.status).toBe('200')
  return { client, requestId: /^X-Request-Id: (\S+)/im.exec(client.text)?.[1] ?? '' }
}

const isOver = ({ client }: Opened) => client.closed || client.ended
const over = (opened: Opened) => opened.client.until(() => isOver(opened), 'the end', 2000)
async function isOpen({ client }: Opened): Promise<void> {
  const before = client.bytes.length
  client.write('x')
  await client.until(() => client.bytes.length > before, 'the echo')
}

const recordOf = async ({ requestId }: Opened) => {
  await expect.poll(() => records.some(({ id }) => id === requestId), patience).toBe(true)
  return records.find(({ id }) => id === requestId)
}

describe('ending connections', () => {
  it('ends all of a proxy user on both gateways, and no others; the login may connect again', async () => {
    const { own, user } = await customer()
    const stranger = await customer()
    const theirs = [await open(user), await open(user, '-sid-a', benches[1])]
    const others = [await open(own), await open(stranger.own), await open(stranger.user, '', benches[1])]
    await end(user, { kind: 'all' })
    for (const one of theirs) await over(one)
    for (const one of others) await isOpen(one)
    for (const one of theirs) expect((await recordOf(one))?.outcome).toBe('ended')
    const again = await open(user)
    await isOpen(again)
    for (const { client } of [...others, again]) client.destroy()
  })

  it('ends those of the account’s own login alone', async () => {
    const { own, user } = await customer()
    const [mine, theirs] = [await open(own, '', benches[1]), await open(user)]
    await end(own, { kind: 'all' })
    await over(mine)
    await isOpen(theirs)
    theirs.client.destroy()
  })

  it('ends the one with this id, and none of another customer whose id was guessed', async () => {
    const { own, user } = await customer()
    const stranger = await customer()
    const [one, two] = [await open(user), await open(user)]
    await end(stranger.user, { kind: 'request', name: one.requestId })
    await end(own, { kind: 'request', name: one.requestId })
    await end(user, { kind: 'request', name: two.requestId })
    await over(two)
    await isOpen(one)
    one.client.destroy()
  })

  it('charges exactly what was relayed when it ends in the middle of a transfer', async () => {
    const { user, balance } = await customer()
    const opened = await open(user)
    opened.client.write(pattern(30_000_000))
    await opened.client.until(() => opened.client.bytes.length > 1_000_000, 'a part')
    await end(user, { kind: 'all' })
    await over(opened)
    const record = await recordOf(opened)
    const relayed = (record?.up_bytes ?? 0n) + (record?.down_bytes ?? 0n)
    expect(record?.down_bytes).toBeGreaterThan(1_000_000n)
    const used = async () =>
      (await usedByUsers(db, [user.id], { now: database.clock.now(), zone: 'UTC' })).get(user.id)?.totalBytes
    await expect.poll(used, patience).toBe(relayed)
    expect((await balance())?.total).toBe(1000n * mb - relayed)
  })

  it('ends a request in progress on a kept connection, and closes the connection', async () => {
    const { own } = await customer()
    const client = new RawClient(benches[1].port)
    client.write(
      `POST http://127.0.0.1:${origin.httpPort}/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n${basic(own.login, own.password)}\r\nx`,
    )
    await expect.poll(() => benches[1].gateway.stats().tunnelsOpen, patience).toBeGreaterThan(0)
    await end(own, { kind: 'all' })
    await client.until(() => client.closed || client.ended, 'the end', 2000)
  })
})

describe('a sticky session that is ended', () => {
  const exitOf = async (who: Whose, line: string, bench?: Bench) => {
    const before = upstreams.map(({ seen }) => seen.length)
    const opened = await open(who, line, bench)
    opened.client.destroy()
    return upstreams.findIndex(({ seen }, index) => seen.length > (before[index] ?? 0))
  }

  it('takes the other exit on every gateway from then on, as often as it is ended; others stay', async () => {
    const { user } = await customer()
    const sid = '-sid-renewed-ttl-600'
    const [first, other] = [await exitOf(user, sid), await exitOf(user, '-sid-stays-ttl-600')]
    const held = await open(user, sid, benches[1])
    const beside = await open(user, '-sid-stays-ttl-600')
    await end(user, { kind: 'session', name: 'renewed' })
    await over(held)
    await isOpen(beside)
    beside.client.destroy()
    for (const bench of benches) expect(await exitOf(user, sid, bench)).toBe(1 - first)
    expect(await exitOf(user, '-sid-stays-ttl-600')).toBe(other)
    await end(user, { kind: 'session', name: 'renewed' })
    await expect.poll(() => exitOf(user, sid, benches[1]), patience).toBe(first)
    const late = await startBench({ feed, gateway: 'e3' })
    await end(user, { kind: 'session', name: 'renewed' })
    await expect.poll(() => exitOf(user, sid), patience).toBe(1 - first)
    expect(await exitOf(user, sid, late)).toBe(1 - first)
    await late.close()
  })

  it('does not use its old exit over a kept connection to the target', async () => {
    const { user } = await customer()
    const client = new RawClient(benches[0].port)
    const get = `GET http://127.0.0.1:${origin.httpPort}/ HTTP/1.1\r\nHost: a\r\n${basic(`${user.login}-sid-kept-ttl-600`, user.password)}\r\n`
    const answers = () => client.text.split('HTTP/1.1 200 ').length - 1
    const before = upstreams.map(({ seen }) => seen.length)
    client.write(get)
    await client.until(() => answers() === 1, 'the first answer')
    const first = upstreams.findIndex(({ seen }, index) => seen.length > (before[index] ?? 0))
    const then = upstreams[1 - first]?.seen.length
    // Its end shows that the announcement has arrived.
    const held = await open(user, '-sid-kept-ttl-600', benches[0])
    await end(user, { kind: 'session', name: 'kept' })
    await over(held)
    client.write(get)
    await client.until(() => answers() === 2, 'the second answer')
    expect(upstreams[1 - first]?.seen.length).toBeGreaterThan(then ?? 0)
    client.destroy()
  })
})

describe('a gateway that was cut off', () => {
  const cutOff = async (act: () => Promise<unknown>) => {
    two.isCutOff = true
    await act()
    two.isCutOff = false
    two.tellSecond({ type: 'reset' })
  }

  it('ends the connections that were ended in the meantime, and no others', async () => {
    const { own, user } = await customer()
    const all = await open(user, '', benches[1])
    const one = await open(own, '', benches[1])
    const session = await open(own, '-sid-x', benches[1])
    const stays = await open(own, '-sid-y', benches[1])
    await cutOff(async () => {
      await end(user, { kind: 'all' })
      await end(own, { kind: 'request', name: one.requestId })
      await end(own, { kind: 'session', name: 'x' })
    })
    for (const opened of [all, one, session]) await over(opened)
    await isOpen(stays)
    expect((await recordOf(all))?.outcome).toBe('ended')
    // A further change of the account ends nothing that was opened since.
    const since = await open(user, '', benches[1])
    await transaction(db, (tx) => changeUser(tx, user, { label: `another ${user.login}` }))
    two.tellSecond({ type: 'reset' })
    await isOpen(since)
    for (const { client } of [stays, since]) client.destroy()
  })
})
