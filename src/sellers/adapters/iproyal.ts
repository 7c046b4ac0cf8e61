/**
 * IPRoyal, residential API (docs.iproyal.com, residential, API, "User" and "Access"; Bearer): `me` has
 * `available_traffic` in GB, with decimals; `access/countries` has countries, each with its states and
 * cities. It gives no numbers of addresses, and no usage of the account by day, so the differences of
 * `available_traffic` are. Not documented: how large a GB is; 10^9 bytes are taken. Shape of
 * `access/countries`: from a published client of this API.
 */
import * as z from 'zod'
import { type SellerAdapter, type SellerAsked, type SellerPlace } from './adapter.ts'
import { type SellerClient, SellerFault } from './client.ts'
import { bytesIn, decimalGb } from './units.ts'

const headersOf = ({ credentials }: SellerClient) => ({
  authorization: `Bearer ${credentials['token'] ?? ''}`,
})

async function balance({ client }: SellerAsked) {
  const told = await client.ask(
    { path: 'me', headers: headersOf(client) },
    z.object({ available_traffic: z.union([z.number(), z.string()]) }),
  )
  const leftBytes = bytesIn(told.available_traffic, decimalGb)
  if (leftBytes === null) throw new SellerFault('malformed', 'me: available_traffic is no number')
  return { leftBytes, leftMicros: null }
}

const named = z.object({ name: z.string() })
const group = <T extends z.ZodType>(option: T) => z.object({ options: z.array(option) }).nullish()
const countriesShape = z.object({
  countries: z.array(
    z.object({
      code: z.string().regex(/^[A-Za-z]{2}$/),
      cities: group(named),
      states: group(z.object({ name: z.string(), cities: group(named) })),
    }),
  ),
})

async function places({ client, pools }: SellerAsked): Promise<SellerPlace[]> {
  // The API is that of the residential product.
  const [pool] = pools.filter((one) => one === 'residential' || one === 'residential_premium')
  if (pool === undefined) return []
  const { countries } = await client.ask(
    { path: 'access/countries', headers: headersOf(client) },
    countriesShape,
  )
  return countries.flatMap(({ code, cities, states }) => {
    const country = code.toLowerCase()
    const place = (state: string | null, city: string | null): SellerPlace => ({
      pool,
      country,
      state,
      city,
      zip: null,
      asn: null,
      count: null,
    })
    const ofStates = (states?.options ?? []).flatMap((state) => {
      const inState = (state.cities?.options ?? []).map(({ name }) => place(state.name, name))
      return inState.length === 0 ? [place(state.name, null)] : inState
    })
    // Cities of a country with states are listed again in its states.
    const ofCountry = ofStates.length > 0 ? [] : (cities?.options ?? []).map(({ name }) => place(null, name))
    const all = [...ofStates, ...ofCountry]
    return all.length === 0 ? [place(null, null)] : all
  })
}

export const iproyal: SellerAdapter = {
  name: 'iproyal',
  title: 'IPRoyal',
  base: 'https://resi-api.iproyal.com/v1/',
  fields: [{ key: 'token', label: { en: 'API token', ru: 'Токен API' }, isSecret: true }],
  gbBytes: decimalGb,
  roundsToBytes: 0n,
  balance,
  usage: null,
  meter: 'left',
  places,
}
