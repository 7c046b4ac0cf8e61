/** The desk's calls about exchange rates and the currencies in which prices are shown. */
import type { DeskOutput } from '#contract/desk/contract'
import { sentenceOf } from '#contract/desk/faults'
import { digitsOf, parseRate, printRate } from '#contract/rates/rates'
import type { Database } from '#db'
import { dayIn } from '#lib/zone'
import { Refusal } from '#lib/refusal'
import type { PurchaseDeps } from '#purchase'
import {
  compareRates,
  displayCurrencies,
  rateHistory,
  rateState,
  readRateLimits,
  readRates,
  listRates,
} from '#rates'
import { authorOf, type DeskHandlers } from '#staff/call'
import { idAfter, pageOf } from '../lists/page.ts'
import { enterRate, enterRates, setDisplayCurrency } from './rates.ts'

type Methods = PurchaseDeps['methods']

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** Every currency that is shown or collected, with its rate in force, and others that ever had a rate. */
async function currencies(
  db: Database['db'],
  methods: Methods,
  now: Date,
): Promise<DeskOutput<'currencies'>> {
  const [shown, rates, limits] = await Promise.all([displayCurrencies(db), listRates(db), readRateLimits(db)])
  const collecting = Map.groupBy(
    methods.list().filter(({ currency }) => currency !== 'USD'),
    ({ currency }) => currency as string,
  )
  const codes = new Set([...collecting.keys(), ...shown, ...rates.map(({ currency }) => currency)])
  const isUsed = (code: string) => collecting.has(code) || shown.includes(code)
  const sorted = [...codes].toSorted(
    (one, other) => Number(isUsed(other)) - Number(isUsed(one)) || one.localeCompare(other),
  )
  return {
    warn_days: Number(limits.warnDays),
    close_days: Number(limits.closeDays),
    currencies: sorted.map((code) => {
      const rate = rates.find(({ currency }) => currency === code)
      return {
        code,
        digits: digitsOf(code),
        shown: shown.includes(code),
        methods: (collecting.get(code) ?? []).map(({ name }) => name),
        rate:
          rate === undefined
            ? null
            : {
                per_usd: printRate(rate.perUsdMicros),
                on: dayOf(rate.setAt),
                at: rate.setAt.toISOString(),
                state: rateState(rate, limits, now),
              },
      }
    }),
  }
}

export function rateCalls({ purchase: { methods } }: { purchase: Pick<PurchaseDeps, 'methods'> }) {
  return {
    currencies: (_input, { database, now }) => currencies(database.db, methods, now()),
    rate_changes: async ({ after, limit = 50, currency }, { database }) => {
      const rows = await rateHistory(database.db, { currency, before: idAfter(after), limit: limit + 1 })
      return pageOf(rows, limit, {
        next: (last) => String(last.id),
        shown: (row) => ({
          id: String(row.id),
          at: row.at.toISOString(),
          currency: row.currency,
          on: dayOf(row.setAt),
          per_usd: printRate(row.perUsdMicros),
          source: row.source,
          by: row.by,
          reason: row.reason,
        }),
      })
    },
    set_rate: async ({ currency, per_usd: text, day = null, reason = null }, context) => {
      const perUsdMicros = parseRate(text)
      if (perUsdMicros === null) throw new Refusal('invalid_rate')
      const now = context.now()
      const order = { currency, perUsdMicros, day, reason }
      const today = dayIn(context.zone, now)
      const rate = await enterRate(context.database.db, authorOf(context), order, { today, now })
      return { in_force: rate.perUsdMicros === perUsdMicros, per_usd: printRate(rate.perUsdMicros) }
    },
    preview_rates: async ({ csv }, { database, language, now, zone }) => {
      const { rows, faults, faulty } = await readRates({ text: csv }, dayIn(zone, now()))
      const { added, known, changes } = await compareRates(database.db, rows)
      return {
        faults: faults.slice(0, 100).map((fault) => sentenceOf(fault, language)),
        faulty,
        added,
        known,
        changes: changes.map(({ currency, before, after, day }) => ({
          currency,
          before: before === null ? null : printRate(before),
          after: printRate(after),
          on: day,
        })),
      }
    },
    import_rates: async ({ csv, reason = null }, context) => {
      const { database, language } = context
      const now = context.now()
      const { rows, faults, faulty } = await readRates({ text: csv }, dayIn(context.zone, now))
      const [first] = faults
      if (first !== undefined)
        throw new Refusal('rates_file_faulty', { count: faulty, fault: sentenceOf(first, language) })
      const { added, known } = await enterRates(database.db, authorOf(context), { rows, reason }, now)
      return { added, known }
    },
    set_display_currency: async ({ currency, shown, reason = null }, context) => ({
      changed: await setDisplayCurrency(
        context.database.db,
        authorOf(context),
        { currency, shown, reason },
        context.now(),
      ),
    }),
  } satisfies Partial<DeskHandlers>
}
