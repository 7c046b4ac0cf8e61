/**
 * Rules of single fields beyond their types. The handlers check them, with their own refusals and in the
 * order that a person expects (`fill_fields` before anything else), so the schemas must accept such values.
 * The OpenAPI document contains the rules all the same: `test/strict.test.ts` compares them with the server's
 * behaviour.
 */
import * as z from 'zod'
import { maxEmailLength } from './account-rules.ts'
import { maxOrderGb } from './price.ts'
import { judged } from './texts.ts'

/** Written into the document but not checked while parsing. */
const documented = <Schema extends z.ZodType>(schema: Schema, rules: Record<string, unknown>): Schema =>
  schema.meta(rules)

/** Whole GB, as a number or as digits. */
export const amountGb = z.union([
  documented(z.number(), { type: 'integer', minimum: 1, maximum: maxOrderGb }),
  documented(z.string(), { pattern: String.raw`^\s*(?!0+\s*$)\d{1,8}\s*$` }),
])

/** A whole number up to 10,000, or its digits; blank counts as 0. */
export const count = z
  .union([
    documented(z.number(), { type: 'integer', minimum: 0, maximum: 10_000 }),
    documented(z.string().max(16), { pattern: String.raw`^\s*(?:0*(?:10000|\d{1,4}))?\s*$` }),
  ])
  .nullish()

export const onOrOff = z.union([
  documented(z.string().max(8), {
    pattern: String.raw`^\s*(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])\s*$`,
  }),
  z.boolean(),
])

export const username = judged(
  documented(z.string().max(200), {
    pattern: String.raw`^\s*[^\s@/\\:<>]{7,64}\s*$`,
    description: 'Nothing that looks like a link or an address: no “http”, no dot before letters.',
  }),
)

export const email = judged(
  documented(z.string().max(320), {
    pattern: String.raw`^\s*[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+\s*$`,
    maxLength: maxEmailLength,
  }),
)

/** A password that is being set: more than 6 characters, surrounding spaces not counted. */
export const newPassword = documented(z.string().max(1000), {
  pattern: String.raw`^\s*\S[\s\S]{5,}\S\s*$`,
  maxLength: 256,
  description: 'Not one of the most common passwords.',
})

export const telegramCode = documented(z.string('telegram_code_missing').max(64, 'telegram_code_invalid'), {
  pattern: String.raw`^\d{6}$`,
})

const upTo255 = String.raw`0{0,2}\d|0?\d\d|1\d\d|2[0-4]\d|25[0-5]`
export const ipv4 = documented(z.string().max(64), {
  pattern: String.raw`^(?:(?:${upTo255})\.){3}(?:${upTo255})$`,
})

/** `provider` is part of the path: values with other characters match no route. */
export const provider = documented(z.string().max(64), { pattern: '^[A-Za-z0-9.-]+$' })

export const hostPatterns = documented(z.array(z.string().max(300)).max(500), {
  description: 'At most 100 different ones.',
})
