/**
 * Webshare (apidocs.webshare.io, `Authorization: Token`): `subscription/` has when the paid period began,
 * `subscription/plan/` lists plans by pages of `results` with `bandwidth_limit` in GB (0 is unlimited),
 * `stats/` has the bytes of each hour (hours without use are missing; those of the future are
 * `is_projected`), `proxy/config/` has the number of addresses by country. With `plan_id` all of it is of
 * that plan, without it of the default plan. Not documented: how large a GB is; 10^9 bytes are taken.
 */
import * as z from 'zod'
import { addTo, type SellerAdapter, type SellerAsked } from './adapter.ts'
import { type SellerClient, SellerFault } from './client.ts'
import { bytesIn, dayOf, decimalGb } from './units.ts'

const headersOf = ({ credentials }: SellerClient) => ({
  authorization: `Token ${credentials['token'] ?? ''}`,
})
const planOf = ({ credentials }: SellerClient): Record<string, string> =>
  (credentials['plan_id'] ?? '') === '' ? {} : { plan_id: credentials['plan_id'] ?? '' }

const plansShape = z.object({
  next: z.string().nullish(),
  results: z.array(
    z.object({
      id: z.number(),
      bandwidth_limit: z.union([z.number(), z.string()]),
      status: z.string().optional(),
    }),
  ),
})

const mostPages = 20

/** The limit of the current plan in GB, as reported. */
async function limitOf(client: SellerClient, defaultPlan: number | null): Promise<number | string> {
  const wanted = planOf(client)['plan_id'] ?? (defaultPlan === null ? null : String(defaultPlan))
  for (let page = 1; page <= mostPages; page++) {
    const query = { page: String(page), page_size: '100' }
    const told = await client.ask(
      { path: 'subscription/plan/', query, headers: headersOf(client) },
      plansShape,
    )
    const found = told.results.find(({ id, status }) =>
      wanted === null ? status === undefined || status === 'active' : String(id) === wanted,
    )
    if (found !== undefined) return found.bandwidth_limit
    if (told.next == null) break
  }
  throw new SellerFault('rejected', 'subscription/plan: the account has no such plan')
}

const subscriptionShape = z.object({
  start_date: z.iso.datetime({ offset: true }),
  plan: z.number().nullish(),
})
const hoursShape = z.array(
  z.object({
    timestamp: z.string(),
    is_projected: z.boolean().optional(),
    bandwidth_total: z.number().int().nonnegative(),
  }),
)

const hoursOf = async (client: SellerClient, between: Record<string, string>) => {
  const query = { ...between, ...planOf(client) }
  const hours = await client.ask({ path: 'stats/', query, headers: headersOf(client) }, hoursShape)
  return hours.filter(({ is_projected: isProjected }) => isProjected !== true)
}

async function balance({ client, to }: SellerAsked) {
  const headers = headersOf(client)
  const subscription = await client.ask(
    { path: 'subscription/', query: planOf(client), headers },
    subscriptionShape,
  )
  const limit = bytesIn(await limitOf(client, subscription.plan ?? null), decimalGb)
  if (limit === null) throw new SellerFault('malformed', 'subscription/plan: bandwidth_limit is no number')
  if (limit === 0n) return { leftBytes: null, leftMicros: null }
  const hours = await hoursOf(client, {
    timestamp__gte: subscription.start_date,
    timestamp__lte: `${to}T23:59:59Z`,
  })
  const used = hours.reduce((sum, { bandwidth_total: bytes }) => sum + BigInt(bytes), 0n)
  return { leftBytes: used > limit ? 0n : limit - used, leftMicros: null }
}

async function usage({ client, from, to }: SellerAsked) {
  const between = { timestamp__gte: `${from}T00:00:00Z`, timestamp__lte: `${to}T23:59:59Z` }
  const days = new Map<string, bigint>()
  for (const { timestamp, bandwidth_total: bytes } of await hoursOf(client, between)) {
    const day = dayOf(timestamp)
    if (day === null) throw new SellerFault('malformed', 'stats: a timestamp is no time')
    if (day >= from && day <= to) addTo(days, day, BigInt(bytes))
  }
  return days
}

async function places({ client, pools }: SellerAsked) {
  const [pool] = pools
  if (pool === undefined) return []
  const { countries } = await client.ask(
    { path: 'proxy/config/', query: planOf(client), headers: headersOf(client) },
    z.object({ countries: z.record(z.string(), z.number().int().nonnegative()) }),
  )
  // ZZ has the form of a country code, but is no country.
  return Object.entries(countries)
    .filter(([code]) => /^[A-Z]{2}$/.test(code) && code !== 'ZZ')
    .map(([code, count]) => ({
      pool,
      country: code.toLowerCase(),
      state: null,
      city: null,
      zip: null,
      asn: null,
      count,
    }))
}

export const webshare: SellerAdapter = {
  name: 'webshare',
  title: 'Webshare',
  base: 'https://proxy.webshare.io/api/v2/',
  fields: [
    { key: 'token', label: { en: 'API token', ru: 'Токен API' }, isSecret: true },
    {
      key: 'plan_id',
      label: {
        en: 'Number of the plan; empty: the default one',
        ru: 'Номер плана; пусто — план по умолчанию',
      },
      isSecret: false,
      isOptional: true,
    },
  ],
  gbBytes: decimalGb,
  roundsToBytes: 0n,
  balance,
  usage,
  places,
}
