/**
 * Infatica (api.infatica.io, header `api-key`, one key for each product). The vendor's pages were not found;
 * from integrators' code: `packages` has `results`, each with `traffic_limits` and `traffic_usage` (`common`:
 * ever, `daily`: today), `count-by-geo` and `count-by-geo-mob` have the number of nodes by country,
 * subdivision, city and ASN. Its limits are taken for bytes, as they are in Proxy-Seller's API of the same
 * family, and its day for the UTC day. Usage is reported for today only, so whole days are the differences of
 * `common`; the fields of `traffic-details` are not known.
 */
import * as z from 'zod'
import { apiKey, type SellerAdapter, type SellerAsked, type SellerPlace } from './adapter.ts'
import type { SellerClient } from './client.ts'
import { binaryGb } from './units.ts'

const headersOf = ({ credentials }: SellerClient) => ({ 'api-key': credentials['api_key'] ?? '' })

const bytes = z.number().int().nonnegative()
const packagesShape = z.object({
  results: z.array(
    z.object({
      is_active: z.boolean().optional(),
      // A limit that is not set is not a number.
      traffic_limits: z.object({ common: z.unknown() }),
      traffic_usage: z.object({ common: bytes, daily: bytes }),
    }),
  ),
})

const packagesOf = async (client: SellerClient) =>
  (await client.ask({ path: 'packages', headers: headersOf(client) }, packagesShape)).results

async function balance({ client }: SellerAsked) {
  let leftBytes: bigint | null = null
  const packages = await packagesOf(client)
  const usedBytes = packages.reduce((sum, { traffic_usage: used }) => sum + BigInt(used.common), 0n)
  for (const { is_active: isActive, traffic_limits: limits, traffic_usage: used } of packages) {
    if (isActive === false) continue
    const limit = bytes.safeParse(limits.common)
    if (!limit.success) return { leftBytes: null, leftMicros: null, usedBytes }
    const left = BigInt(limit.data) - BigInt(used.common)
    leftBytes = (leftBytes ?? 0n) + (left > 0n ? left : 0n)
  }
  return { leftBytes, leftMicros: null, usedBytes }
}

async function usage({ client, to }: SellerAsked) {
  const packages = await packagesOf(client)
  return new Map([[to, packages.reduce((sum, { traffic_usage: used }) => sum + BigInt(used.daily), 0n)]])
}

const nodesShape = z.array(
  z.object({
    country: z.string().regex(/^[A-Za-z]{2}$/),
    subdivision: z.string().nullish(),
    city: z.string().nullish(),
    asn: z.union([z.number(), z.string()]).nullish(),
    nodes: z.number().int().nonnegative(),
  }),
)

async function places({ client, pools }: SellerAsked): Promise<SellerPlace[]> {
  const all: SellerPlace[] = []
  for (const pool of pools) {
    const path = pool === 'mobile' ? 'count-by-geo-mob' : 'count-by-geo'
    const rows = await client.ask({ path, headers: headersOf(client) }, nodesShape)
    for (const { country, subdivision, city, asn, nodes } of rows) {
      const number = Number(asn ?? 0)
      all.push({
        pool,
        country: country.toLowerCase(),
        state: subdivision || null,
        city: city || null,
        zip: null,
        asn: Number.isSafeInteger(number) && number > 0 ? number : null,
        count: nodes,
      })
    }
  }
  return all
}

export const infatica: SellerAdapter = {
  name: 'infatica',
  title: 'Infatica',
  base: 'https://api.infatica.io/',
  fields: [apiKey],
  gbBytes: binaryGb,
  roundsToBytes: 0n,
  balance,
  usage,
  tellsTodayOnly: true,
  meter: 'used',
  places,
}
