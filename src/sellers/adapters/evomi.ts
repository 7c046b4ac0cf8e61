/**
 * Evomi, public API (docs.evomi.com/public-api, header `x-apikey`): `GET public` has every product with
 * `balance_mb`, `GET public/usage?period=7d&product=` has daily buckets in MB. One GB is 10^9 bytes: the page
 * shows 43971237.38 MB as 43971.23738 GB. The buckets carry no zone and are taken for UTC. `GET
 * public/settings` is documented in words only; its shape is taken to be that of `proxy_settings` in the same
 * vendor's reseller API: products, each with `countries` by code. It gives no numbers of addresses.
 */
import * as z from 'zod'
import type { Pool } from '#contract/wire'
import { addTo, apiKey, type SellerAdapter, type SellerAsked } from './adapter.ts'
import { type SellerClient, SellerFault } from './client.ts'
import { bytesIn, dayOf, decimalGb } from './units.ts'

const mb = 1_000_000n

/** Its products by their codes, and by the names that its reseller API gives them. */
export const evomiPools: Readonly<Record<string, Pool>> = {
  rp: 'residential_premium',
  rpc: 'residential',
  residential: 'residential',
  sdc: 'datacenter',
  sharedDataCenter: 'datacenter',
  mp: 'mobile',
  mobile: 'mobile',
}

const headersOf = ({ credentials }: SellerClient) => ({ 'x-apikey': credentials['api_key'] ?? '' })
const amount = z.union([z.number(), z.string()])

async function productsOf({ client, pools }: SellerAsked) {
  const { products } = await client.ask(
    { path: 'public', headers: headersOf(client) },
    z.object({ products: z.record(z.string(), z.object({ balance_mb: amount.optional() })) }),
  )
  return Object.entries(products).filter(([code]) => pools.some((pool) => evomiPools[code] === pool))
}

async function balance(asked: SellerAsked) {
  const left = (await productsOf(asked)).flatMap(([, { balance_mb: told }]) =>
    told === undefined ? [] : [bytesIn(told, mb)],
  )
  if (left.includes(null)) throw new SellerFault('malformed', 'public: a balance is no number')
  const leftBytes = left.length === 0 ? null : left.reduce<bigint>((sum, bytes) => sum + (bytes ?? 0n), 0n)
  return { leftBytes, leftMicros: null }
}

const usageShape = z.object({
  data: z.object({
    bandwidth: z.object({
      products: z.array(
        z.object({ stats: z.record(z.string(), z.union([amount, z.object({ total: amount })])) }),
      ),
    }),
  }),
})

async function usage(asked: SellerAsked) {
  const { client, from, to } = asked
  const days = new Map<string, bigint>()
  for (const [code] of await productsOf(asked)) {
    const query = { period: '7d', product: code }
    const told = await client.ask({ path: 'public/usage', query, headers: headersOf(client) }, usageShape)
    for (const { stats } of told.data.bandwidth.products)
      for (const [at, value] of Object.entries(stats)) {
        const day = dayOf(at)
        const bytes = bytesIn(typeof value === 'object' ? value.total : value, mb)
        if (day === null || bytes === null)
          throw new SellerFault('malformed', 'public/usage: a bucket is no day')
        if (day >= from && day <= to) addTo(days, day, bytes)
      }
  }
  return days
}

/** Products with their countries: in the public API and in the reseller API of the same family. */
export const settingsShape = z.object({
  data: z.record(
    z.string(),
    z.object({ countries: z.record(z.string(), z.unknown()).optional() }).nullable(),
  ),
})

export const placesIn = (told: z.infer<typeof settingsShape>, pools: readonly Pool[]) =>
  Object.entries(told.data).flatMap(([product, settings]) => {
    const pool = evomiPools[product]
    if (pool === undefined || !pools.includes(pool)) return []
    return Object.keys(settings?.countries ?? {})
      .filter((code) => /^[A-Za-z]{2}$/.test(code))
      .map((code) => ({
        pool,
        country: code.toLowerCase(),
        state: null,
        city: null,
        zip: null,
        asn: null,
        count: null,
      }))
  })

export const evomi: SellerAdapter = {
  name: 'evomi',
  title: 'Evomi',
  base: 'https://api.evomi.com/',
  fields: [apiKey],
  gbBytes: decimalGb,
  roundsToBytes: 0n,
  balance,
  usage,
  places: async ({ client, pools }) =>
    placesIn(await client.ask({ path: 'public/settings', headers: headersOf(client) }, settingsShape), pools),
}
