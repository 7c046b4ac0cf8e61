/** Countries that a proxy user may not use, and the double tariff, through exits over the database. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import type { FeedExit, FeedPlace } from '#feed'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { MemoryFeed } from '#feed/testing'
import { findAccess, savedTargeting } from '#proxies'
import { changeUser, type UserSettings } from '#proxy-users'
import { testDatabase } from '#test/database'
import { type Origin, startOrigin } from '#test/origin'
import { customerWith, feedKnowing, wrongInBooks } from '#test/traffic'
import { newUser } from '#test/users'
import type { TrafficFeed } from '#traffic'
import { basic, type Bench } from './testing/bench.ts'
import { RawClient } from './testing/client.ts'
import { type FakeUpstream, startUpstream } from './testing/proxy.ts'
import { startTwoGateways, type TwoGateways } from './testing/two.gateways.ts'

const pool = 'residential'
let database: Database
let db: Database['db']
let origin: Origin
let upstream: FakeUpstream
let feed: TrafficFeed
let benches: [Bench, Bench]
let exits: FeedExit[] = []
let two: TwoGateways

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  origin = await startOrigin()
  upstream = await startUpstream({ kind: 'http', login: () => true })
  feed = await feedKnowing(database, {
    findAccess,
    savedTargeting,
    countriesOf: async () => [
      { code: 'ru', count: 1_000_000 },
      { code: 'de', count: 2 },
      { code: 'fr', count: 1 },
      { code: 'aq', count: 0 },
    ],
    listExits: async () => exits,
  })
  two = await startTwoGateways(feed, 'p')
  benches = two.benches
})
afterAll(async () => {
  for (const bench of benches) {
    await bench.close()
    expect(bench.errors).toEqual([])
  }
  await feed.close()
  await upstream.close()
  await origin.close()
  expect(await wrongInBooks(db)).toEqual([])
  await database.close()
})

const place = (country: string): FeedPlace => ({ country, state: null, city: null, zip: null, asn: null })

/** The exits of both gateways from now on. */
async function useExits(...parts: Partial<FeedExit>[]): Promise<void> {
  const memory = new MemoryFeed()
  exits = parts.map((one) =>
    memory.addExit(pool, {
      kind: 'http',
      host: '127.0.0.1',
      port: upstream.port,
      username: 'seller',
      password: 'x',
      ...one,
    }),
  )
  await sql`select pg_notify(${feedChannel}, ${printAnnouncement({ type: 'exits_changed' })})`.execute(db)
}

async function userWith(settings: Partial<UserSettings>) {
  const who = await customerWith(db, { pool, paid: 1_000_000_000n })
  return newUser(db, who.accessId, settings)
}

async function open(user: { login: string; password: string }, line = '', bench = benches[0]) {
  const client = new RawClient(bench.port)
  return client.connect(`127.0.0.1:${origin.echoPort}`, basic(`${user.login}${line}`, user.password))
}

/** The status, with the code of a refusal. */
async function answer(user: { login: string; password: string }, line = '', bench = benches[0]) {
  const client = await open(user, line, bench)
  if (client.status !== '200')
    await client.until(() => client.ended || client.closed || /^[a-z_]+: /m.test(client.text), 'the sentence')
  client.destroy()
  return `${client.status} ${/^([a-z_]+): /m.exec(client.text)?.[1] ?? ''}`.trim()
}

it('a gateway refuses a denied country however it is named, and what costs double, on both gateways', async () => {
  await useExits({})
  await expect.poll(async () => answer(await userWith({})), { timeout: 10_000 }).toBe('200')
  const user = await userWith({ deniedCountries: ['ru', 'us'], noDoubleTariff: true })
  for (const bench of benches) {
    for (const line of [
      '-cc-ru',
      '-cc-RU',
      '-cc-de.ru',
      '-st-us_ca',
      '-city-us_ca_fresno',
      '-country-ru',
      '-cc-ru-sid-a',
    ])
      expect([line, await answer(user, line, bench)]).toEqual([
        line,
        expect.stringMatching(/^(403 user_country_denied|400 bad_username)$/),
      ])
    for (const line of ['-st-de_be', '-cc-de-zip-10115', '-cc-de-asn-3320'])
      expect([line, await answer(user, line, bench)]).toEqual([line, '403 user_double_tariff'])
    for (const line of ['', '-cc-de', '-cc-de-xasn-3320', '-sid-a'])
      expect([line, await answer(user, line, bench)]).toEqual([line, '200'])
  }
  expect(await answer(user, '-cc-ru')).toBe('403 user_country_denied')
})

it('a gateway never uses a denied country by chance: neither of a seller’s places, nor where the seller would choose', async () => {
  const user = await userWith({ deniedCountries: ['ru'] })
  const seen = async (line: string) => {
    const from = upstream.seen.length
    for (let count = 0; count < 12; count++) expect(await answer(user, line)).toBe('200')
    return new Set(
      upstream.seen
        .slice(from)
        .map(({ username }) => /cc-([a-z]{2})/i.exec(username ?? '')?.[1]?.toLowerCase()),
    )
  }
  await useExits({ preset: 'oxylabs', places: null })
  await expect.poll(async () => (await seen('')).has(undefined), { timeout: 10_000 }).toBe(false)
  for (const line of ['', '-sid-a', '-sid-b-ttl-30'])
    for (const country of await seen(line)) expect(['de', 'fr']).toContain(country)
  // A network that may be in a denied country cannot be asked for.
  expect(await answer(user, '-asn-3320')).toBe('503 no_exit')
  await useExits({ preset: 'oxylabs', places: [place('ru'), place('de')] })
  await expect.poll(() => seen(''), { timeout: 10_000 }).toEqual(new Set(['de']))
  // An exit that is told no country would choose among all its places.
  await useExits({ places: [place('ru'), place('de')] })
  await expect.poll(() => answer(user), { timeout: 10_000 }).toBe('503 no_exit')
  expect(await answer(user, '-cc-de')).toBe('200')
  await useExits({ places: [place('de')] })
  await expect.poll(() => answer(user), { timeout: 10_000 }).toBe('200')
})

it('a gateway cuts open sessions by a new rule, sticky ones too, and after a gateway missed it; others go on', async () => {
  await useExits({ preset: 'oxylabs', places: null })
  const user = await userWith({})
  await expect.poll(() => answer(user, '-cc-ru'), { timeout: 10_000 }).toBe('200')
  const change = (changes: Partial<UserSettings>) => transaction(db, (tx) => changeUser(tx, user, changes))
  const isOpen = async (client: RawClient) => {
    const before = client.bytes.length
    client.write('x')
    await client.until(() => client.bytes.length > before, 'the echo')
  }
  const over = (client: RawClient) => client.until(() => client.closed || client.ended, 'the cut', 2000)
  for (const bench of benches) {
    two.isCutOff = bench === benches[1]
    const named = await open(user, '-cc-ru-sid-a-ttl-600', bench)
    const unknown = await open(user, '-sid-a-ttl-600', bench)
    const double = await open(user, '-st-us_ca', bench)
    const stays = await open(user, '-cc-de-sid-b', bench)
    await change({ deniedCountries: ['ru'], noDoubleTariff: true })
    if (two.isCutOff) two.tellSecond({ type: 'reset' })
    two.isCutOff = false
    for (const client of [named, unknown, double]) await over(client)
    await isOpen(stays)
    expect(await answer(user, '-cc-ru-sid-a-ttl-600', bench)).toBe('403 user_country_denied')
    expect(await answer(user, '-sid-a-ttl-600', bench)).toBe('200')
    stays.destroy()
    await change({ deniedCountries: [], noDoubleTariff: false })
    await expect.poll(() => answer(user, '-cc-ru', bench), { timeout: 10_000 }).toBe('200')
    if (bench === benches[0])
      await expect.poll(() => answer(user, '-cc-ru', benches[1]), { timeout: 10_000 }).toBe('200')
  }
})

it('a gateway does not use a kept connection by a country that was allowed before', async () => {
  await useExits({ preset: 'oxylabs', places: null })
  const user = await userWith({})
  await expect.poll(() => answer(user, '-cc-ru'), { timeout: 10_000 }).toBe('200')
  const client = new RawClient(benches[0].port)
  const get = `GET http://127.0.0.1:${origin.httpPort}/ HTTP/1.1\r\nHost: a\r\n${basic(user.login, user.password)}\r\n`
  const answers = () => client.text.split('HTTP/1.1 200 ').length - 1
  client.write(get)
  await client.until(() => answers() === 1, 'the first answer')
  const from = upstream.seen.length
  await transaction(db, (tx) => changeUser(tx, user, { countries: ['fr'] }))
  await expect.poll(() => answer(user, '-cc-ru'), { timeout: 10_000 }).toBe('403 user_country_denied')
  client.write(get)
  await client.until(() => answers() === 2, 'the second answer')
  expect(
    upstream.seen.slice(from).map(({ username }) => username?.toLowerCase().includes('cc-fr')),
  ).toContain(true)
  client.destroy()
})

it('a rule is refused when a country is both allowed and denied', async () => {
  const user = await userWith({ countries: ['de'] })
  await expect(
    transaction(db, (tx) => changeUser(tx, user, { deniedCountries: ['de'] })),
  ).rejects.toMatchObject({ code: 'country_allowed_and_denied' })
})
