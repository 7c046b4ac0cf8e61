/** Exchange rates, and the currencies in which prices are shown. */
import * as z from 'zod'
import { changed, day, empty, id, page, pageOf, reason, time } from '../schemas.ts'

/** A larger file is for the command line. */
export const mostRatesCharacters = 2 * 1024 * 1024

const currency = z.string().regex(/^[A-Z]{3}$/)

/** Decimal text: units of the currency for one USD. */
const perUsd = z.string().max(20)

export const currencies = z.object({
  /** The ages from which staff are alerted to a rate, and from which it is no longer used. 0: no such age. */
  warn_days: z.number(),
  close_days: z.number(),
  currencies: z.array(
    z.object({
      code: currency,
      /** Decimal places of its smallest unit. */
      digits: z.number(),
      /** Customers can choose to see prices in this currency. */
      shown: z.boolean(),
      /** The payment methods that collect this currency. */
      methods: z.array(z.string()),
      /** The rate in force; null: none was entered. */
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
    /** Who entered the rate; empty: not known. */
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

/** `in_force` false: there is a rate of a later day, so the new one is only part of the history. */
export const rateSet = z.object({ in_force: z.boolean(), per_usd: perUsd })

const csv = z.string().min(1).max(mostRatesCharacters)

export const previewRatesInput = z.strictObject({ csv })

export const ratesPreview = z.object({
  /** The first faulty lines, as sentences. If there are any, nothing can be imported. */
  faults: z.array(z.string()),
  faulty: z.number(),
  added: z.number(),
  /** The number of days whose rate is known already. */
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
