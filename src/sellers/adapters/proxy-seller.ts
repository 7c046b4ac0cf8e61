/**
 * Proxy-Seller, personal API v2 (docs.proxy-seller.com, "Residential proxy"; the key is part of the path):
 * `resident/package` has `traffic_left` as text in bytes (1 GB is 2^30: `traffic_limit` of 1 GB is
 * 1073741824); `resident/traffic/details` has the bytes of each hour by list, and an empty list where there
 * are none; `resident/geo` is a file of countries, regions and cities, without numbers of addresses. Errors
 * come with the status 200: a wrong key, an address that is not allowed and the limit of requests share the
 * code 503 and differ in their message. The hours carry no zone and are taken for UTC; the names of the
 * fields of `resident/geo` are not documented beyond "country, regions, cities, ISPs".
 */
import * as z from 'zod'
import { addTo, apiKey, type SellerAdapter, type SellerAsked, type SellerPlace } from './adapter.ts'
import { SellerFault } from './client.ts'
import { binaryGb, bytesIn, dayOf } from './units.ts'

const errorShape = z.object({
  status: z.literal('error'),
  errors: z.array(z.object({ message: z.string() })),
})

/**
 * The documented answer to a wrong key lists all three messages of the code; a limit of requests alone names
 * itself.
 */
function faultOf(value: unknown): SellerFault | null {
  const told = errorShape.safeParse(value)
  if (!told.success) return null
  const messages = told.data.errors.map(({ message }) => message)
  const said = messages.join('; ')
  if (messages.some((message) => /api key|not allowed/i.test(message)))
    return new SellerFault('refused', said)
  return new SellerFault(messages.some((message) => /limit/i.test(message)) ? 'busy' : 'rejected', said)
}

const packageShape = z.object({ data: z.object({ package_key: z.string(), traffic_left: z.string() }) })
const packageOf = ({ client }: SellerAsked) =>
  client.ask({ path: '{api_key}/resident/package', faultOf }, packageShape)

async function balance(asked: SellerAsked) {
  const { data } = await packageOf(asked)
  const leftBytes = bytesIn(data.traffic_left, 1n)
  if (leftBytes === null) throw new SellerFault('malformed', 'resident/package: traffic_left is no number')
  return { leftBytes, leftMicros: null }
}

const hour = z.union([z.number().int(), z.string()])
const detailsShape = z.object({
  data: z.union([z.record(z.string(), z.record(z.string(), hour)), z.array(z.never()).transform(() => ({}))]),
})
/** 20.01.2026. */
const dateOf = (day: string) => day.split('-').toReversed().join('.')

async function usage(asked: SellerAsked) {
  const { client, from, to } = asked
  const { data } = await packageOf(asked)
  const json = { packageKey: data.package_key, date_start: dateOf(from), date_end: dateOf(to) }
  const told = await client.ask(
    { method: 'POST', path: '{api_key}/resident/traffic/details', json, faultOf },
    detailsShape,
  )
  const days = new Map<string, bigint>()
  for (const hours of Object.values<Record<string, number | string>>(told.data))
    for (const [at, value] of Object.entries(hours)) {
      const day = dayOf(at)
      const bytes = bytesIn(value, 1n)
      if (day === null || bytes === null)
        throw new SellerFault('malformed', 'traffic/details: an hour is no time')
      if (day >= from && day <= to) addTo(days, day, bytes)
    }
  return days
}

const city = z.object({ name: z.string() })
const region = z.object({ name: z.string(), cities: z.array(city).nullish() })
const geoShape = z.array(
  z.object({ code: z.string().regex(/^[A-Za-z]{2}$/), regions: z.array(region).nullish() }),
)

async function places({ client, pools }: SellerAsked): Promise<SellerPlace[]> {
  const [pool] = pools.filter((one) => one === 'residential' || one === 'residential_premium')
  if (pool === undefined) return []
  const countries = await client.ask({ path: '{api_key}/resident/geo', faultOf }, geoShape)
  return countries.flatMap(({ code, regions }) => {
    const country = code.toLowerCase()
    const none = { pool, country, zip: null, asn: null, count: null }
    const inCountry = (regions ?? []).flatMap(({ name, cities }): SellerPlace[] => {
      const inRegion = (cities ?? []).map((one) => ({ ...none, state: name, city: one.name }))
      return inRegion.length === 0 ? [{ ...none, state: name, city: null }] : inRegion
    })
    return inCountry.length === 0 ? [{ ...none, state: null, city: null }] : inCountry
  })
}

export const proxySeller: SellerAdapter = {
  name: 'proxy_seller',
  title: 'Proxy-Seller',
  base: 'https://proxy-seller.com/personal/api/v2/',
  fields: [apiKey],
  gbBytes: binaryGb,
  roundsToBytes: 0n,
  balance,
  usage,
  places,
}
