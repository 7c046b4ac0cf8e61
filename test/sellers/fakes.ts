/**
 * Sellers of traffic on this machine: each answers as its documentation, or the integrators' code named in
 * its adapter, says.
 */
import type { Pool } from '#contract/wire'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from '../processors/fake.ts'

/** What a fake seller knows of the account. */
export interface FakeAccount {
  /** YYYY-MM-DD, UTC; the fake reports usage up to this day. */
  today: string
  leftBytes: bigint
  /** By UTC day; whole units of the seller, so that nothing is rounded. */
  usage: Map<string, bigint>
  /** Addresses by country, in capitals. */
  countries: Record<string, number>
}

type Answers = (request: FakeRequest, account: FakeAccount) => FakeAnswer | null

const refused: FakeAnswer = { status: 401, body: { message: 'Unauthorized' } }
const gib = 2n ** 30n
const mib = 2n ** 20n
const json = (request: FakeRequest) => JSON.parse(request.body) as Record<string, unknown>
/** A decimal as a seller prints it. */
const decimal = (bytes: bigint, unit: bigint) => Number(bytes) / Number(unit)

export class FakeSeller extends FakeProcessor {
  account: FakeAccount
  /** Answers the next requests instead of the account; null: the account answers. */
  before: ((request: FakeRequest) => FakeAnswer | null) | null = null
  readonly #answers: Answers

  constructor(answers: Answers, account: FakeAccount) {
    super()
    this.#answers = answers
    this.account = account
  }

  protected answer(request: FakeRequest): FakeAnswer {
    return (
      this.before?.(request) ??
      this.#answers(request, this.account) ?? {
        status: 404,
        body: { message: `no such path: ${request.path}` },
      }
    )
  }
}

/** Two sub-users, a page each: the usage is divided between them. */
const dataimpulse: Answers = ({ path, method, query, headers, body }, account) => {
  if (path === '/user/token/get') {
    const form = new URLSearchParams(body)
    const isRight =
      method === 'POST' &&
      form.get('login') === 'me@shop.example' &&
      form.get('password') === 'the-secret-of-tests'
    return isRight ? { body: { token: 'jwt-of-tests' } } : refused
  }
  if (headers.authorization !== 'Bearer jwt-of-tests') return refused
  if (path === '/user/balance') return { body: { balance: decimal(account.leftBytes, gib) } }
  if (path === '/sub-user/list') {
    const limit = Number(query.get('limit'))
    const all = [
      { id: 4050, login: 'a', password: 'p4050' },
      { id: 4051, login: 'b', password: 'p4051' },
    ]
    const offset = Number(query.get('offset'))
    return limit > 1000
      ? { status: 422, body: {} }
      : { body: { accesses: all.slice(offset, offset + limit) } }
  }
  if (path === '/sub-user/usage-stat/get') {
    const isFirst = query.get('access_id') === '4050'
    if (!isFirst && query.get('access_id') !== '4051') return { status: 404, body: {} }
    const half = (bytes: bigint) => (isFirst ? bytes / mib / 2n : bytes / mib - bytes / mib / 2n)
    const usage = [...account.usage].map(([day, bytes]) => ({
      traffic: Number(half(bytes)),
      request: 7,
      d_usage: day,
    }))
    return { body: usage.length === 0 ? [] : { usage, total: {} } }
  }
  if (path === '/common/pool_stats')
    return {
      body: Object.entries(account.countries).map(([country_code, count]) => ({
        country_code: country_code.toLowerCase(),
        country_name: country_code,
        count,
      })),
    }
  return null
}

const evomi: Answers = ({ path, query, headers }, account) => {
  if (headers['x-apikey'] !== 'the-secret-of-tests') return refused
  const product = { username: 'me', password: 'proxy-password', endpoint: 'core-residential.evomi.com' }
  if (path === '/public')
    return {
      body: {
        success: true,
        products: {
          rpc: { ...product, balance_mb: decimal(account.leftBytes, 1_000_000n) },
          mp: { ...product, balance_mb: 999_999 },
        },
      },
    }
  if (path === '/public/usage' && query.get('period') === '7d' && query.get('product') === 'rpc') {
    const stats = Object.fromEntries(
      [...account.usage].map(([day, bytes]) => {
        const total = decimal(bytes, 1_000_000n)
        return [`${day} 00:00`, { default: total, extra: 0, total }]
      }),
    )
    return {
      body: {
        success: true,
        data: { bandwidth: { products: [{ name: 'Residential', code: 'rpc', stats }] } },
      },
    }
  }
  if (path === '/public/settings') return { body: { data: { rpc: settingsOf(account), mp: null } } }
  return null
}

const settingsOf = ({ countries }: FakeAccount) => ({
  countries: Object.fromEntries(Object.keys(countries).map((code) => [code, `the country ${code}`])),
})

const evomiLike: Answers = ({ path, query, headers }, account) => {
  if (headers['x-api-key'] !== 'the-secret-of-tests') return refused
  if (path.startsWith('/reseller/sub_users/') && query.get('username') !== 'sub1')
    return { status: 404, body: {} }
  if (path === '/reseller/sub_users/view_single')
    return {
      body: {
        status: 200,
        data: {
          username: 'sub1',
          products: {
            residential: { balance: decimal(account.leftBytes, 1_000_000n), proxy_key: 'key-of-the-proxy' },
            mobile: { balance: 5, proxy_key: 'another-key' },
          },
        },
      },
    }
  if (path === '/reseller/sub_users/view_txs' && query.get('granularity') === 'day') {
    const stats = Object.fromEntries(
      [...account.usage].map(([day, bytes]) => [`${day}T00:00:00Z`, decimal(bytes, 1_000_000n)]),
    )
    return { body: { data: { products: [{ name: 'residential', totalBandwidth: 1, stats }] } } }
  }
  if (path === '/reseller/proxy_settings') return { body: { data: { residential: settingsOf(account) } } }
  return null
}

const packetstream: Answers = (request, account) => {
  const { path, method, headers } = request
  if (headers.authorization !== 'Bearer the-secret-of-tests') return refused
  if (path !== '/reseller/sub_users/view_single' || method !== 'POST') return null
  if (json(request)['username'] !== 'sub1') return { status: 404, body: {} }
  return {
    body: { status: 200, data: { username: 'sub1', balance: decimal(account.leftBytes, 1_000_000n) } },
  }
}

const iproyal: Answers = ({ path, headers }, account) => {
  if (headers.authorization !== 'Bearer the-secret-of-tests') return refused
  if (path === '/me')
    return { body: { available_traffic: decimal(account.leftBytes, 1_000_000_000n), accesses_count: 13 } }
  if (path === '/access/countries')
    return {
      body: {
        prefix: '_country-',
        countries: Object.keys(account.countries).map((code) => ({
          code: code.toLowerCase(),
          name: code,
          cities: { prefix: '_city-', options: [] },
          states: { prefix: '_state-', options: [] },
        })),
      },
    }
  return null
}

/** The plan is on the second page of the list. */
const webshare: Answers = ({ path, query, headers }, account) => {
  if (headers.authorization !== 'Token the-secret-of-tests') return refused
  const began = [...account.usage.keys()].toSorted()[0] ?? account.today
  const used = [...account.usage.values()].reduce((sum, bytes) => sum + bytes, 0n)
  if (path === '/subscription/') return { body: { id: 1, start_date: `${began}T00:00:00Z`, plan: 42 } }
  if (path === '/subscription/plan/') {
    const limit = decimal(account.leftBytes + used, 1_000_000_000n)
    const pages = [
      {
        next: 'https://proxy.webshare.io/api/v2/subscription/plan/?page=2',
        results: [{ id: 41, bandwidth_limit: 1, status: 'cancelled' }],
      },
      { next: null, results: [{ id: 42, bandwidth_limit: limit, status: 'active' }] },
    ]
    return { body: pages[Number(query.get('page')) - 1] ?? { next: null, results: [] } }
  }
  if (path === '/stats/') {
    const [from, to] = [query.get('timestamp__gte') ?? '', query.get('timestamp__lte') ?? '']
    // In the vendor's zone: an evening there is the next day in UTC.
    const hours = [...account.usage]
      .filter(([day]) => `${day}T03:00:00Z` >= from && `${day}T03:00:00Z` <= to)
      .map(([day, bytes]) => {
        const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
        return { timestamp: `${before}T20:00:00-07:00`, is_projected: false, bandwidth_total: Number(bytes) }
      })
    return {
      body: [
        ...hours,
        { timestamp: `${account.today}T23:00:00Z`, is_projected: true, bandwidth_total: 12_345 },
      ],
    }
  }
  if (path === '/proxy/config/')
    return {
      body: { countries: { ...account.countries, ZZ: 3 }, username: 'me', password: 'of-the-proxies' },
    }
  return null
}

/** Errors have the status 200; a wrong key gives all messages of its code. */
const proxySeller: Answers = (request, account) => {
  const [, key = '', ...rest] = request.path.split('/')
  const failed = (...messages: string[]): FakeAnswer => ({
    body: {
      status: 'error',
      data: null,
      errors: messages.map((message) => ({ message, code: 503, customData: null })),
    },
  })
  if (key !== 'the-secret-of-tests') return failed('Error api key', 'IP not allowed', 'Request limit reached')
  const done = (data: unknown): FakeAnswer => ({ body: { status: 'success', data, errors: [] } })
  switch (rest.join('/')) {
    case 'resident/package':
      return done({
        package_key: 'package1',
        is_active: true,
        traffic_left: String(account.leftBytes),
        traffic_left_sub: '0',
      })
    case 'resident/traffic/details': {
      const { packageKey, date_start: from, date_end: to } = json(request)
      if (packageKey !== 'package1') return failed('key is required')
      if (!/^\d\d\.\d\d\.\d{4}$/.test(String(from)) || !/^\d\d\.\d\d\.\d{4}$/.test(String(to)))
        return failed('wrong date')
      if (account.usage.size === 0) return done([])
      const hours = [...account.usage].flatMap(([day, bytes]) => [
        [`${day} 00:00:00`, Number(bytes / 2n)],
        [`${day} 23:00:00`, Number(bytes - bytes / 2n)],
      ])
      return done({ list1: Object.fromEntries(hours) as Record<string, number> })
    }
    case 'resident/geo':
      return { body: Object.keys(account.countries).map((code) => ({ code, name: code, regions: [] })) }
    default:
      return null
  }
}

/** Two packages, one of which is not active. */
const infatica: Answers = ({ path, headers }, account) => {
  if (headers['api-key'] !== 'the-secret-of-tests') return refused
  const daily = Number(account.usage.get(account.today) ?? 0n)
  if (path === '/packages')
    return {
      body: {
        results: [
          {
            package_key: 'p1',
            is_active: true,
            traffic_limits: { common: Number(account.leftBytes) + 1000, daily: '' },
            traffic_usage: { common: 1000, daily },
          },
          {
            package_key: 'p2',
            is_active: false,
            traffic_limits: { common: 7 },
            traffic_usage: { common: 1, daily: 0 },
          },
        ],
      },
    }
  if (path === '/count-by-geo')
    return {
      body: Object.entries(account.countries).map(([country, nodes]) => ({
        country,
        subdivision: '',
        city: '',
        isp: '',
        asn: null,
        nodes,
      })),
    }
  return null
}

const geonode: Answers = ({ path, headers }, account) => {
  if (headers['r-api-key'] !== 'the-secret-of-tests') return refused
  if (path !== '/user/traffic/77') return null
  const used = [...account.usage.values()].reduce((sum, bytes) => sum + Number(bytes), 123_456)
  return { body: { data: { trafficLimitInBytes: Number(account.leftBytes) + used, usageBandwidth: used } } }
}

export interface SellerCase {
  name: string
  answers: Answers
  credentials: Record<string, string>
  pool: Pool
  /** The unit in which the fake prints amounts. */
  unit: bigint
  usage: 'days' | 'today' | null
  places: 'counted' | 'uncounted' | null
}

const key = { api_key: 'the-secret-of-tests' }
const token = { token: 'the-secret-of-tests' }
const pool = 'residential' as const
const mb = 1_000_000n

/** All sellers, with what each offers. */
export const sellerCases: readonly SellerCase[] = [
  {
    name: 'dataimpulse',
    answers: dataimpulse,
    credentials: { login: 'me@shop.example', password: 'the-secret-of-tests' },
    pool,
    unit: mib,
    usage: 'days',
    places: 'counted',
  },
  {
    name: 'earnfm',
    answers: evomiLike,
    credentials: { ...key, username: 'sub1' },
    pool,
    unit: mb,
    usage: 'days',
    places: 'uncounted',
  },
  { name: 'evomi', answers: evomi, credentials: key, pool, unit: mb, usage: 'days', places: 'uncounted' },
  {
    name: 'geonode',
    answers: geonode,
    credentials: { ...key, user_id: '77' },
    pool,
    unit: 1n,
    usage: null,
    places: null,
  },
  {
    name: 'infatica',
    answers: infatica,
    credentials: key,
    pool,
    unit: 1n,
    usage: 'today',
    places: 'counted',
  },
  {
    name: 'infiniteproxies',
    answers: evomiLike,
    credentials: { ...key, username: 'sub1' },
    pool,
    unit: mb,
    usage: 'days',
    places: 'uncounted',
  },
  { name: 'iproyal', answers: iproyal, credentials: token, pool, unit: 1n, usage: null, places: 'uncounted' },
  {
    name: 'packetstream',
    answers: packetstream,
    credentials: { ...key, username: 'sub1' },
    pool,
    unit: mb,
    usage: null,
    places: null,
  },
  {
    name: 'proxy_seller',
    answers: proxySeller,
    credentials: key,
    pool,
    unit: 1n,
    usage: 'days',
    places: 'uncounted',
  },
  {
    name: 'webshare',
    answers: webshare,
    credentials: token,
    pool,
    unit: 1n,
    usage: 'days',
    places: 'counted',
  },
]
