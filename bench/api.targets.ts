/** The calls that `bench/api.ts` sends to the server. */
import { createClient } from '#contract/client'
import { pathOf } from '#contract/wire'
import type { Target } from './load.ts'

/** Enough customers that a server's whole capacity is within the rate limits of their accounts. */
export const people = Array.from({ length: 60 }, (_, n) => ({
  username: `bench_customer_${n}`,
  email: `bench_${n}@example.com`,
  password: 'a password of the bench',
}))

const lines = (quantity: number) =>
  JSON.stringify({
    anonymous: 'true',
    type: 'sticky',
    protocol: 'http',
    format: 'login:password:hostname:port',
    quantity,
    sessionttl: 10,
    pool: 'residential',
    countries: ['us', 'de'],
  })

type List = 'proxy_states' | 'proxy_cities' | 'proxy_asns' | 'proxy_zipcodes'

const geo = (name: string, call: List, asked: object): Target => ({
  name,
  method: 'POST',
  path: pathOf(call),
  body: JSON.stringify({ pool: 'residential', ...asked }),
})

/** The calls that are measured, each in the name of the next of the signed-in customers. */
export async function targetsOn(origin: URL): Promise<Target[]> {
  const anyone = createClient({ baseUrl: origin.origin, token: () => null, language: () => 'en' })
  const logins = people.map(({ username, password }) => ({ username, password }))
  const tokens: string[] = []
  for (const login of logins) tokens.push(await anyone('signin', login))
  let calls = 0
  const headers = () => ({ authorization: `Bearer ${tokens[calls++ % tokens.length]}` })
  const states = await anyone('proxy_states', { provider: 'gateway', pool: 'residential', countries: ['us'] })
  const threeStates = { countries: ['us'], states: states.slice(0, 3).map(({ code }) => code) }
  const us = { countries: ['us'] }
  return [
    { name: 'prices', method: 'GET', path: pathOf('prices') },
    {
      name: 'signin',
      method: 'POST',
      path: pathOf('signin'),
      body: JSON.stringify(logins[0]),
    },
    { name: 'legacy_profile', method: 'GET', path: pathOf('legacy_profile'), headers },
    { name: 'get_proxy, 10 lines', method: 'POST', path: pathOf('get_proxy'), headers, body: lines(10) },
    {
      name: 'get_proxy, 10,000 lines',
      method: 'POST',
      path: pathOf('get_proxy'),
      headers,
      body: lines(10_000),
    },
    { name: 'countries', method: 'GET', path: `${pathOf('proxy_countries')}?pool=residential` },
    geo('states of 1 country', 'proxy_states', us),
    geo('cities of 1 country', 'proxy_cities', us),
    geo('cities of 3 states', 'proxy_cities', threeStates),
    geo('ASNs of 1 country', 'proxy_asns', us),
    geo('ASNs of 3 states', 'proxy_asns', threeStates),
    geo('zip codes of 1 country', 'proxy_zipcodes', us),
    geo('zip codes of 3 states', 'proxy_zipcodes', threeStates),
  ]
}
