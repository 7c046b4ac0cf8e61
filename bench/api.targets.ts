/** The calls that `bench/api.ts` sends to the server, and what each of them may cost. */
import { createClient } from '#contract/client'
import { pathOf } from '#contract/wire'
import type { Asked, Target } from './load.ts'
import { scalePool } from './scale.rows.ts'

/** A customer with a password. */
export const person = {
  username: 'bench_customer',
  email: 'bench@example.com',
  password: 'a password of the bench',
}

/**
 * The most CPU that one act may cost: of the server in turns of the calibration's JSON loop, of PostgreSQL in
 * executions of `select 1`, both measured in the same run.
 */
interface Limits {
  server: number
  database: number
  /** How many hashes of passwords it makes, whose cost is measured by itself and left out. */
  hashes?: number
}

export type LimitedTarget = Target & { limits: Limits }

const post = (path: string, input: object): Asked => ({ method: 'POST', path, body: JSON.stringify(input) })
const get = (path: string): Asked => ({ method: 'GET', path })

const lines = (quantity: number) =>
  post(pathOf('get_proxy'), {
    anonymous: 'true',
    type: 'sticky',
    protocol: 'http',
    format: 'login:password:hostname:port',
    quantity,
    sessionttl: 10,
    pool: scalePool,
    countries: ['us', 'de'],
  })

type List = 'proxy_states' | 'proxy_cities' | 'proxy_asns' | 'proxy_zipcodes'

const places = (call: List, asked: object) => post(pathOf(call), { pool: scalePool, ...asked })

const dayMs = 86_400_000
const dayAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
const week = { from: dayAgo(6), to: dayAgo(0), by: 'day' }

/** The calls that the page of the overview makes. */
const overview: Asked[] = [
  get(pathOf('legacy_profile')),
  get(pathOf('site')),
  get(pathOf('display_currency')),
  get(pathOf('get_overview')),
  get(pathOf('get_notices')),
  get(pathOf('invoices')),
  get(pathOf('get_requests')),
  post(pathOf('get_usage'), week),
]

/** The order, and the payment's notification until the traffic is on the balance. */
const purchase: Target = {
  name: 'purchase, from the order to the credit',
  ...post(pathOf('create_invoice_web'), { payment_method: 'sandbox', amount: 1, pool: scalePool }),
  further: [
    (url) => ({
      method: 'POST',
      path: url.slice(url.indexOf('/sandbox')),
      type: 'application/x-www-form-urlencoded',
      body: 'result=paid',
    }),
  ],
}

const list = { server: 35, database: 12 }
const longList = { server: 75, database: 12 }

/** The limits of each call, by its name: half as much again as was measured on a machine with other load. */
const limits: Readonly<Record<string, Limits>> = {
  prices: { server: 35, database: 12 },
  signin: { server: 950, database: 450, hashes: 1 },
  legacy_profile: { server: 90, database: 32 },
  'get_proxy, 10 lines': { server: 90, database: 45 },
  'get_proxy, 10,000 lines': { server: 300, database: 110 },
  'statistics of a month': { server: 75, database: 60 },
  'usage of a week': { server: 75, database: 65 },
  'overview of the account, 8 calls': { server: 580, database: 320 },
  'purchase, from the order to the credit': { server: 600, database: 620 },
  countries: list,
  'states of 1 country': list,
  'cities of 1 country': longList,
  'cities of 3 states': list,
  'ASNs of 1 country': list,
  'ASNs of 3 states': list,
  'zip codes of 1 country': longList,
  'zip codes of 3 states': list,
}

/** The calls that are measured, each in the name of the next of the signed-in customers. */
export async function targetsOn(origin: URL, tokens: readonly string[]): Promise<LimitedTarget[]> {
  const anyone = createClient({ baseUrl: origin.origin, token: () => null, language: () => 'en' })
  const states = await anyone('proxy_states', { provider: 'gateway', pool: scalePool, countries: ['us'] })
  const threeStates = { countries: ['us'], states: states.slice(0, 3).map(({ code }) => code) }
  const us = { countries: ['us'] }
  let acts = 0
  const headers = () => ({ authorization: `Bearer ${tokens[acts++ % tokens.length]}` })
  const { username, password } = person
  const [first = get('/'), ...others] = overview
  const targets: Target[] = [
    { name: 'prices', ...get(pathOf('prices')) },
    { name: 'signin', ...post(pathOf('signin'), { username, password }) },
    { name: 'legacy_profile', ...get(pathOf('legacy_profile')), headers },
    { name: 'get_proxy, 10 lines', ...lines(10), headers },
    { name: 'get_proxy, 10,000 lines', ...lines(10_000), headers },
    {
      name: 'statistics of a month',
      ...get(`${pathOf('legacy_get_statistic')}?period=month&pool=${scalePool}`),
      headers,
    },
    { name: 'usage of a week', ...post(pathOf('get_usage'), week), headers },
    {
      name: 'overview of the account, 8 calls',
      ...first,
      further: others.map((asked) => () => asked),
      headers,
    },
    { ...purchase, headers },
    { name: 'countries', ...get(`${pathOf('proxy_countries')}?pool=${scalePool}`) },
    { name: 'states of 1 country', ...places('proxy_states', us) },
    { name: 'cities of 1 country', ...places('proxy_cities', us) },
    { name: 'cities of 3 states', ...places('proxy_cities', threeStates) },
    { name: 'ASNs of 1 country', ...places('proxy_asns', us) },
    { name: 'ASNs of 3 states', ...places('proxy_asns', threeStates) },
    { name: 'zip codes of 1 country', ...places('proxy_zipcodes', us) },
    { name: 'zip codes of 3 states', ...places('proxy_zipcodes', threeStates) },
  ]
  return targets.map((target) => {
    const its = limits[target.name]
    if (its === undefined) throw new Error(`${target.name} has no limits`)
    return { ...target, limits: its }
  })
}
