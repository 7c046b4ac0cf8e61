/** The schemas of places of exits. */
import * as z from 'zod'
import * as rules from '../schemas.rules.ts'
import { codes, maybeCodes, pool } from '../schemas.ts'

const { provider } = rules
const countriesInput = z.strictObject({ provider, pool })
const statesInput = z.strictObject({ provider, pool, countries: codes })
const citiesInput = z.strictObject({ provider, pool, countries: codes, states: maybeCodes })
const asnsInput = z.strictObject({
  provider,
  pool,
  countries: codes,
  states: maybeCodes,
  cities: maybeCodes,
})

const zipcodesInput = z.strictObject({
  provider,
  pool,
  countries: codes,
  states: maybeCodes,
  cities: maybeCodes,
})
const countries = z.array(z.object({ code: z.string(), name: z.string(), count: z.number() }))
const states = z.array(
  z.object({ code: z.string(), name: z.string(), count: z.number(), country_code: z.string() }),
)

const cities = z.array(
  z.object({
    code: z.string(),
    name: z.string(),
    count: z.number(),
    state_code: z.string().nullable(),
    country_code: z.string(),
  }),
)

const asns = z.array(z.object({ asn: z.number(), name: z.string(), count: z.number() }))
const zipcodes = z.array(z.object({ code: z.string(), name: z.string(), count: z.number() }))

export const inventorySchemas = {
  proxy_countries: { input: countriesInput, output: countries },
  proxy_states: { input: statesInput, output: states },
  proxy_cities: { input: citiesInput, output: cities },
  proxy_asns: { input: asnsInput, output: asns },
  proxy_zipcodes: { input: zipcodesInput, output: zipcodes },
} as const
