/** Exchange rates, and the currencies in which prices are shown. */
import * as z from 'zod'
import { changed, day, empty, id, page, pageOf, reason, time } from '../schemas.ts'

/** A larger file is for the command line. */
export const mostRatesCharacters = 2 * 1024 * 1024

const currency = z.string().regex(/^[A-Z]{3}$/)

/** Decimal text: of the currency, for one USD. */
const perUsd = z.string().max(20)

export const currencies = z.object({
  /** From which age on staff are told of a rate, and from which it is not used any more; 0: however old. */
  warn_days: z.number(),
  close_days: z.number(),
  currencies: z.array(
    z.object({
      code: currency,
      /** Decimal places of its smallest unit. */
      digits: z.number(),
      /** Customers may look at prices in it. */
      shown: z.boolean(),
      /** The payment methods that collect it. */
      methods: z.array(z.string()),
      /** Null: none was entered. */
      rate: z
        .object({ per_usd: perUsd, on: day, at: time, state: z.enum(['fresh', 'old', 'closed']) })
        .nullable(),
    }),
  ),
})

export const rateChangesInput = z.strictObject({ ...page, currency: currency.optional() })

export const rateChangesPage = pageOf(
  z.object({
    id,
    at: time,
    currency,
    on: day,
    per_usd: perUsd,
    source: z.enum(['hand', 'file']),
    /** Empty: not known. */
    by: z.string(),
    reason: z.string().nullable(),
  }),
)

/** `day`: in the shop's time zone; absent: the current rate. */
export const setRateInput = z.strictObject({
  currency,
  per_usd: perUsd,
  day: day.optional(),
  reason: reason.optional(),
})

/** Not in force: a rate of a later day exists. */
export const rateSet = z.object({ in_force: z.boolean(), per_usd: perUsd })

const csv = z.string().min(1).max(mostRatesCharacters)

export const previewRatesInput = z.strictObject({ csv })

export const ratesPreview = z.object({
  /** The first bad lines, as sentences; with any, nothing can be imported. */
  faults: z.array(z.string()),
  faulty: z.number(),
  added: z.number(),
  /** Days whose rate is known already. */
  known: z.number(),
  /** The rates in force that the import replaces. */
  changes: z.array(z.object({ currency, before: perUsd.nullable(), after: perUsd, on: day })),
})

export const importRatesInput = z.strictObject({ csv, reason: reason.optional() })

export const importedRates = z.object({ added: z.number(), known: z.number() })

export const setDisplayCurrencyInput = z.strictObject({
  currency,
  shown: z.boolean(),
  reason: reason.optional(),
})

export const ratesDeskSchemas = {
  currencies: { input: empty, output: currencies },
  rate_changes: { input: rateChangesInput, output: rateChangesPage },
  set_rate: { input: setRateInput, output: rateSet },
  preview_rates: { input: previewRatesInput, output: ratesPreview },
  import_rates: { input: importRatesInput, output: importedRates },
  set_display_currency: { input: setDisplayCurrencyInput, output: changed },
} as const
