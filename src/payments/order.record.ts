/**
 * What was ordered, as text that a processor keeps with its invoice: enough to restore a sale that the
 * database has lost. The text carries an HMAC by SECRET_KEY, since not only this shop can write into a
 * processor's fields: BTCPay Server lets payers fill in some of them, and several programs may share one
 * account.
 */
import * as z from 'zod'
import { type Language, languages } from '#contract/language'
import { type Goods, goods } from '#contract/wire'
import { jsonOf } from '#lib/fetch-text'
import type { Secrets } from '#lib/secret'
import type { Priced } from './rates.ts'

export interface OrderRecord {
  /** The number of our invoice. */
  invoice: string
  method: string
  account: {
    id: bigint
    username: string | null
    email: string | null
    /**
     * After a restore, ids and names may be assigned again; this time distinguishes a later account of the
     * same name from this one.
     */
    createdAt: Date
  }
  pool: Goods
  gb: bigint
  perGbMicros: bigint
  volumeDiscountPpm: number
  promoDiscountPpm: number
  promocode: string | null
  costMicros: bigint
  fullCostMicros: bigint
  /** The amount that the processor collects, and the rate it was computed with. */
  priced: Priced
  language: Language
  createdAt: Date
  expiresAt: Date
}

const purpose = 'orders at processors'
const digits = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform(BigInt)
const ppm = z.int().min(0).max(1_000_000)
const moment = z.iso.datetime().transform((text) => new Date(text))

const shape = z.object({
  invoice: z.string(),
  method: z.string(),
  account: digits,
  name: z.string().nullable(),
  email: z.string().nullable(),
  joined: moment,
  pool: z.enum(goods),
  gb: digits,
  per_gb: digits,
  volume: ppm,
  promo: ppm,
  code: z.string().nullable(),
  cost: digits,
  full: digits,
  currency: z.string(),
  price: digits,
  rate: digits.nullable(),
  rate_at: moment.nullable(),
  language: z.enum(languages),
  made: moment,
  expires: moment,
})

/** Prints and signs a record; the same record always gives the same text, in ASCII. */
export function printOrder(secrets: Secrets, record: OrderRecord): string {
  const { account, priced } = record
  const data: Record<keyof z.input<typeof shape>, unknown> = {
    invoice: record.invoice,
    method: record.method,
    account: String(account.id),
    name: account.username,
    email: account.email,
    joined: account.createdAt,
    pool: record.pool,
    gb: String(record.gb),
    per_gb: String(record.perGbMicros),
    volume: record.volumeDiscountPpm,
    promo: record.promoDiscountPpm,
    code: record.promocode,
    cost: String(record.costMicros),
    full: String(record.fullCostMicros),
    currency: priced.price.currency,
    price: String(priced.price.micros),
    rate: priced.rate === null ? null : String(priced.rate.perUsdMicros),
    rate_at: priced.rate?.setAt ?? null,
    language: record.language,
    made: record.createdAt,
    expires: record.expiresAt,
  }
  // Processors count characters, bytes or UTF-16 units: in ASCII these are the same.
  const json = JSON.stringify(data).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${secrets.sign(json, purpose).toString('base64url')} ${json}`
}

/** A record as it was found at a processor. */
export interface FoundOrder {
  /** This shop signed the record, and it is unchanged. */
  isGenuine: boolean
  record: OrderRecord
}

/** Parses a text of `printOrder`; null: the text is not one. */
export function readOrder(secrets: Secrets, text: string): FoundOrder | null {
  const [, signature = '', json = ''] = /^([\w-]{43}) (\{.*\})$/.exec(text) ?? []
  const parsed = shape.safeParse(jsonOf(json))
  if (!parsed.success) return null
  const { data } = parsed
  const rate =
    data.rate === null || data.rate_at === null
      ? null
      : { currency: data.currency, perUsdMicros: data.rate, setAt: data.rate_at }
  return {
    isGenuine: secrets.isSigned(json, Buffer.from(signature, 'base64url'), purpose),
    record: {
      invoice: data.invoice,
      method: data.method,
      account: { id: data.account, username: data.name, email: data.email, createdAt: data.joined },
      pool: data.pool,
      gb: data.gb,
      perGbMicros: data.per_gb,
      volumeDiscountPpm: data.volume,
      promoDiscountPpm: data.promo,
      promocode: data.code,
      costMicros: data.cost,
      fullCostMicros: data.full,
      priced: { price: { currency: data.currency, micros: data.price }, rate },
      language: data.language,
      createdAt: data.made,
      expiresAt: data.expires,
    },
  }
}

/** Stripe allows 50 metadata fields of 500 characters, YooKassa 16 fields of 512. */
const fieldChars = 500
const fieldName = (index: number) => (index === 0 ? 'order' : `order_${index + 1}`)

/** The text as fields of a processor's metadata. */
export function orderFields(text: string): Record<string, string> {
  const parts = Array.from({ length: Math.ceil(text.length / fieldChars) }, (_, index) => [
    fieldName(index),
    text.slice(index * fieldChars, (index + 1) * fieldChars),
  ])
  return Object.fromEntries(parts) as Record<string, string>
}

/** The inverse of `orderFields`; null: the metadata has no such fields. */
export function orderIn(metadata: Readonly<Record<string, unknown>>): string | null {
  let text = ''
  for (let index = 0; ; index++) {
    const part = metadata[fieldName(index)]
    if (typeof part !== 'string') return text === '' ? null : text
    text += part
  }
}
