import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contract, type Input } from '#contract/contract'
import { refusals } from '#contract/refusals'
import { multiplierOf } from '#contract/traffic'
import type { Database } from '#db'
import type { Context } from '#db/call'
import { seedDemoInventory, zipsOf } from '#inventory'
import { Refusal } from '#lib/refusal'
import { secretsOf } from '#lib/secret'
import { testDatabase } from '#test/database'
import { anywhere, parseUsername, withStored } from './grammar.ts'
import { proxiesCalls, type ProxiesDeps } from './proxies.calls.ts'
import { ensureAccess, savedSlot, savedTargeting, type Access, accessOf } from './proxies.ts'

const secrets = secretsOf('a key of the tests, long enough to be one')
let database: Database
let accountId: bigint
let access: Access
let hasTraffic = true

const deps: ProxiesDeps = {
  secrets,
  trafficOf: (_db, account) =>
    Promise.resolve({ free: hasTraffic && account === accountId ? 5_000_000_001n : 0n, reserved: 0n }),
  proxyUserOf: () => Promise.reject(new Refusal('user_not_found')),
  portBase: 20_000,
  slots: 100,
  hosts: new Map([['usa', 'us.example.net']]),
  defaultHost: 'proxy.example.net',
}
const calls = proxiesCalls(deps)

beforeAll(async () => {
  database = await testDatabase()
  await seedDemoInventory(database)
})
afterAll(() => database.close())

beforeEach(async () => {
  hasTraffic = true
  const { id } = await database.db
    .insertInto('account')
    .values({ ref_code: `ref_${Math.random()}` })
    .returning('id')
    .executeTakeFirstOrThrow()
  accountId = id
  await ensureAccess(database.db, secrets, { accountId, pool: 'mobile' })
  const found = await accessOf(database.db, secrets, { accountId, pool: 'mobile' })
  if (found === null) throw new Error('the access was just made')
  access = found
})

const plain: Input<'get_proxy'> = {
  anonymous: 'true',
  type: 'rotating',
  protocol: 'http',
  format: 'login:password:hostname:port',
  quantity: 0,
  sessionttl: 0,
  pool: 'mobile',
  countries: null,
  cities: null,
  states: null,
  excluded_asns: null,
  included_asns: null,
  zipcodes: null,
  region: 'eur',
}

const headers: Record<string, string> = {}

function context(): Context {
  const setHeader = (name: string, value: string) => void (headers[name] = value)
  return { database, account: { id: accountId }, language: 'ru', setHeader } as unknown as Context
}

const generate = async (wish: Partial<Input<'get_proxy'>>) =>
  String(await calls.get_proxy(contract.get_proxy.input.parse({ ...plain, ...wish }), context()))

/** The user names of lines in the format login:password:hostname:port. */
const usernamesOf = (text: string) => text.split('\n').map((line) => line.split(':')[0] ?? '')

describe('lines', () => {
  it.each([
    ['login:password:hostname:port', (l: string, p: string) => `${l}:${p}:proxy.example.net:23000`],
    ['login:password@hostname:port', (l: string, p: string) => `${l}:${p}@proxy.example.net:23000`],
    ['hostname:port@login:password', (l: string, p: string) => `proxy.example.net:23000@${l}:${p}`],
    ['hostname:port:login:password', (l: string, p: string) => `proxy.example.net:23000:${l}:${p}`],
    ['hostname:port', () => 'proxy.example.net:23001'],
  ] as const)('have the format %s', async (format, expected) => {
    expect(await generate({ format })).toBe(expected(access.login, access.password ?? ''))
  })

  it('with a password that cannot be unsealed are refused, those without one are not', async () => {
    const others = proxiesCalls({ ...deps, secrets: secretsOf('another key, also long enough to be one') })
    const wish = (format: Input<'get_proxy'>['format']) =>
      others.get_proxy(contract.get_proxy.input.parse({ ...plain, format }), context())
    await expect(wish('login:password@hostname:port')).rejects.toThrow('proxy_password_unreadable')
    expect(await wish('hostname:port')).toBe('proxy.example.net:23001')
  })

  it('contain the host of the region and the port of the pool', async () => {
    expect(await generate({ format: 'hostname:port', region: 'usa' })).toBe('us.example.net:23001')
    expect(await generate({ format: 'hostname:port', region: null })).toBe('proxy.example.net:23001')
    await ensureAccess(database.db, secrets, { accountId, pool: 'residential_premium' })
    expect(await generate({ format: 'hostname:port', pool: 'residential_premium' })).toBe(
      'proxy.example.net:21001',
    )
  })

  it('contain the chosen settings, in the grammar of the gateway', async () => {
    const text = await generate({
      type: 'sticky',
      sessionttl: '30',
      anonymous: 'false',
      quantity: 2,
      countries: ['US', 'de'],
      states: ['us_ca', 'us_ca'],
      cities: ['us_ca_los_angeles'],
      zipcodes: ['90001'],
      included_asns: ['AS21928'],
      excluded_asns: [6167],
    })
    const [one, two] = usernamesOf(text).map((username) => parseUsername(username))
    expect(one).toEqual({
      login: access.login,
      targeting: {
        ...anywhere(),
        countries: ['us', 'de'],
        states: ['us_ca'],
        cities: ['us_ca_los_angeles'],
        zips: ['90001'],
        asns: [21_928],
        excludedAsns: [6167],
        session: one?.targeting.session,
        ttlMinutes: 30,
        anonymous: false,
      },
    })
    expect(one?.targeting.session).toMatch(/^[0-9a-f]{12}$/)
    expect(two?.targeting.session).not.toBe(one?.targeting.session)
  })

  it('are sticky with a session each, ten thousand of them', async () => {
    const text = await generate({ type: 'sticky', quantity: '10000', countries: ['us'] })
    expect(text.endsWith('\n')).toBe(false)
    const sessions = usernamesOf(text).map((username) => parseUsername(username).targeting.session)
    expect(sessions).toHaveLength(10_000)
    expect(new Set(sessions).size).toBe(10_000)
  })

  it('are all equal when they rotate, with or without an interval', async () => {
    const { login, password } = access
    expect(await generate({ type: 'dynamic', quantity: 2 })).toBe(
      [1, 2].map(() => `${login}:${password}:proxy.example.net:23000`).join('\n'),
    )
    expect(usernamesOf(await generate({ type: 'rotating', sessionttl: 5 }))).toEqual([`${login}-ttl-5`])
  })

  it.each([[undefined], [null], [''], ['0'], [0]])('are one when the quantity is %j', async (quantity) => {
    expect((await generate({ quantity })).split('\n')).toHaveLength(1)
  })
})

describe('settings too long for a line', () => {
  const cities = ['los_angeles', 'san_diego', 'san_jose', 'san_francisco', 'fresno', 'sacramento']
  const long = {
    countries: ['us', 'gb', 'de', 'fr', 'it', 'es'],
    states: ['us_ca', 'us_tx', 'us_ny', 'us_fl', 'us_il', 'gb_eng', 'de_by', 'fr_idf'],
    cities: cities.map((city) => `us_ca_${city}`),
    zipcodes: ['90001', '90002', '92101', '92102', '77002', '77003', '10001', '10002', '33125'],
    excluded_asns: [6167, 20_057],
    included_asns: [21_928],
  }

  it('are stored once and named in the line, which keeps its session', async () => {
    const text = await generate({ ...long, type: 'sticky', sessionttl: 7, anonymous: 'false', quantity: 3 })
    const again = await generate({ ...long, countries: long.countries.toReversed(), type: 'rotating' })
    const lines = usernamesOf(text).map((username) => parseUsername(username))
    const { session, set } = lines[0]?.targeting ?? anywhere()
    expect(lines[0]?.targeting).toEqual({ ...anywhere(), session, ttlMinutes: 7, anonymous: false, set })
    expect(new Set(lines.map((line) => line.targeting.session)).size).toBe(3)
    expect(usernamesOf(again)).toEqual([`${access.login}-set-${set}`])

    const stored = await savedTargeting(database.db, { login: access.login, id: set ?? '' })
    const meant = withStored(lines[0]?.targeting ?? anywhere(), stored ?? anywhere())
    expect(meant).toMatchObject({
      countries: long.countries.toSorted(),
      asns: [21_928],
      session,
      ttlMinutes: 7,
      set: null,
    })
    expect(meant.cities.toSorted()).toEqual(long.cities.toSorted())
    expect(multiplierOf(meant)).toBe(2)
    expect(headers).toMatchObject({ 'x-traffic-multiplier': '2', 'x-payload-bytes': '2500000000' })
    await generate({})
    expect(headers).toMatchObject({ 'x-traffic-multiplier': '1', 'x-payload-bytes': '5000000001' })
  })

  it('belong to one customer only', async () => {
    const [username = ''] = usernamesOf(await generate(long))
    const id = parseUsername(username).targeting.set ?? ''
    const stranger = await database.db
      .insertInto('account')
      .values({ ref_code: `ref_${Math.random()}` })
      .returning('id')
      .executeTakeFirstOrThrow()
    await ensureAccess(database.db, secrets, { accountId: stranger.id, pool: 'mobile' })
    const other = await accessOf(database.db, secrets, { accountId: stranger.id, pool: 'mobile' })
    expect(await savedTargeting(database.db, { login: other?.login ?? '', id })).toBeNull()
    expect(await savedTargeting(database.db, { login: access.login, id: 'unknown' })).toBeNull()
  })

  it('may be as long as a request allows', async () => {
    const view = { pool: 'mobile', language: 'en' } as const
    const zips = await zipsOf(database.db, view, { countries: ['us'], states: [] })
    const text = await generate({ countries: ['us'], zipcodes: zips.map((zip) => zip.code).slice(0, 500) })
    expect(usernamesOf(text)[0]).toMatch(/-set-[0-9a-f]{15}$/)
  })
})

describe('lines without a password', () => {
  it('store the settings of every port, and overwrite only the requested number', async () => {
    await generate({ format: 'hostname:port', quantity: 3, countries: ['us'] })
    const text = await generate({ format: 'hostname:port', quantity: 2, type: 'sticky', sessionttl: 5 })
    expect(text).toBe('proxy.example.net:23001\nproxy.example.net:23002')
    const slots = await database.db
      .selectFrom('slot')
      .selectAll()
      .where('access_id', '=', access.id)
      .orderBy('slot')
      .execute()
    expect(slots.map((row) => row.slot)).toEqual([1, 2, 3])
    const [first, second, third] = slots.map((row) => row.targeting)
    expect(first).toEqual({
      ...anywhere(),
      ttlMinutes: 5,
      session: expect.stringMatching(/^[0-9a-f]{12}$/) as unknown,
    })
    expect(second).not.toEqual(first)
    expect(third).toEqual({ ...anywhere(), countries: ['us'] })
    const saved = (slot: number) => savedSlot(database.db, { accessId: access.id, slot })
    expect(await Promise.all([1, 3, 4].map(saved))).toEqual([first, third, null])
    expect(await savedSlot(database.db, { accessId: access.id + 1000n, slot: 1 })).toBeNull()
  })

  it('are limited by the number of ports', async () => {
    expect((await generate({ format: 'hostname:port', quantity: 100 })).split('\n')).toHaveLength(100)
    await expect(generate({ format: 'hostname:port', quantity: 101 })).rejects.toMatchObject({
      code: 'too_many_slots',
      details: { limit: 100 },
    })
  })
})

describe('refusals', () => {
  it.each([
    ['invalid_quantity', 422, { quantity: 10_001 }],
    ['invalid_quantity', 422, { quantity: 1.5 }],
    ['invalid_quantity', 422, { quantity: -1 }],
    ['invalid_quantity', 422, { quantity: 'many' }],
    ['invalid_sessionttl', 422, { sessionttl: 10_001 }],
    ['invalid_sessionttl', 422, { sessionttl: '5m' }],
    ['invalid_anonymous', 422, { anonymous: 'yes' }],
    ['no_subuser', 409, { pool: 'residential' }],
    ['unknown_location', 422, { countries: ['zz'] }],
    ['unknown_location', 422, { countries: ['us'], included_asns: ['none'] }],
    ['contradictory_targeting', 422, { countries: ['de'], states: ['us_ca'] }],
  ] as const)('%s is %i', async (code, status, wish) => {
    await expect(generate(wish as Partial<Input<'get_proxy'>>)).rejects.toMatchObject({ code, status })
    expect(refusals[code].status).toBe(status)
  })

  it('without traffic', async () => {
    hasTraffic = false
    await expect(generate({})).rejects.toMatchObject({ code: 'no_traffic', status: 402 })
  })

  it('with the name of every place that the pool does not have', async () => {
    const wish = { countries: ['us', 'zz'], states: ['us_zz'], zipcodes: ['00000'], included_asns: ['x', 1] }
    await expect(generate(wish)).rejects.toMatchObject({ details: { names: 'zz, us_zz, 00000, AS1, x' } })
  })

  it('with the names of contradictory places', async () => {
    const wish = {
      countries: ['us'],
      states: ['us_ny'],
      cities: ['us_ca_fresno'],
      included_asns: [6167],
      excluded_asns: [6167],
    }
    await expect(generate(wish)).rejects.toMatchObject({ details: { names: 'us_ca_fresno, AS6167' } })
    await expect(generate({ zipcodes: ['90001'] })).rejects.toMatchObject({ details: { names: '90001' } })
  })

  it('with twenty names of hundreds', async () => {
    const zipcodes = Array.from({ length: 300 }, (_, index) => `none${index}`)
    const refused: unknown = await generate({ countries: ['us'], zipcodes }).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'unknown_location',
      details: { names: expect.stringMatching(/none19, …$/) as unknown },
    })
  })

  it('leave nothing stored', async () => {
    await generate({ format: 'hostname:port', quantity: 101 }).catch(() => undefined)
    expect(
      await database.db.selectFrom('slot').selectAll().where('access_id', '=', access.id).execute(),
    ).toEqual([])
  })
})
