/** Schemas that the calls of several slices use; `<slice>/schemas.ts` has the others. */
import * as z from 'zod'
import { goods, pools } from './pools.ts'
import { protocols, proxyFormats, regions } from './proxy-lines.ts'
import * as rules from './schemas.rules.ts'

export const pool = z.enum(pools)
/** What an invoice sells: traffic of a pool, or `balance`, a top-up of the money balance. */
export const invoiceGoods = z.enum(goods)
/** Amounts of money in USD with at most 6 decimals. */
export const usd = z.number()

/** A fraction between 0 and 1. */
export const fraction = z.number().min(0).max(1)

/** Traffic as `trafficToWire` returns it. The string form is serialised as a bare number too. */
export const traffic = z.union([z.number(), z.string()])

export const codes = z.array(z.string().min(1).max(64)).max(500)
export const maybeCodes = codes.nullish()
/** Where a fiscal receipt went, and by what it is found. */
export const receiptRegistration = {
  /** Where it is sent. */
  email: z.string().nullable(),
  /** ФД, ФН and ФП of a receipt of a till. */
  fiscal_document_number: z.string().nullable(),
  fiscal_storage_number: z.string().nullable(),
  fiscal_attribute: z.string().nullable(),
  /** The number of a receipt that was registered by hand. */
  number: z.string().nullable(),
  link: z.string().nullable(),
}

export const invoiceNumberInput = z.strictObject({ number: z.string().max(64) })
/** The number of a proxy user within its pool. */
export const userNumber = z
  .int()
  .min(1)
  .max(2 ** 33 - 1)

export const getProxyInput = z.strictObject({
  anonymous: rules.onOrOff,
  type: z.enum(['sticky', 'rotating', 'dynamic']),
  protocol: z.enum(protocols),
  format: z.enum(proxyFormats),
  quantity: rules.count,
  sessionttl: rules.count,
  pool,
  countries: maybeCodes,
  cities: maybeCodes,
  states: maybeCodes,
  excluded_asns: z
    .array(z.union([z.string().max(64), z.number()]))
    .max(500)
    .nullish(),
  included_asns: z
    .array(z.union([z.string().max(64), z.number()]))
    .max(500)
    .nullish(),
  zipcodes: maybeCodes,
  region: z.enum(regions).nullish(),
  /** The number of a proxy user of the pool, whose lines these are. */
  proxy_user: userNumber.nullish(),
})

export const poolInput = z.strictObject({ pool })
export const empty = z.strictObject({})
export const done = z.boolean()
export const text = z.string()
/** An image, sent with its content type. */
/** With a name: a file for the caller alone, which is saved under it. */
export const blob = z.object({
  bytes: z.instanceof(Uint8Array),
  content_type: z.string(),
  name: z.string().optional(),
})

/** A cap on the bytes charged in an hour, a day or a month, from 1 MB to 1 PB; null: no cap. */
export const byteCap = z
  .int('invalid_byte_cap')
  .min(1_000_000, 'invalid_byte_cap')
  .max(1_000_000_000_000_000, 'invalid_byte_cap')
  .nullable()
