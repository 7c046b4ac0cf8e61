/**
 * Entering exchange rates, and the currencies in which prices are shown. Each change is recorded in its
 * transaction.
 */
import type { Kysely } from 'kysely'
import { isForeignCurrency, mostPerUsdMicros, printRate } from '#contract/rates/rates'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import {
  importRates,
  listRates,
  offerCurrency,
  type Rate,
  type readRates,
  setRate,
  withdrawCurrency,
} from '#rates'
import { type Author, record } from '#staff'

type Db = Kysely<DB>
type Rows = Awaited<ReturnType<typeof readRates>>['rows']

export interface RateOrder {
  currency: string
  perUsdMicros: bigint
  /** YYYY-MM-DD; null: the rate is of now. */
  day: string | null
  reason: string | null
}

/**
 * Enters a rate and returns the rate in force afterwards: a rate of an earlier day than the latest one
 * becomes history only. Refuses with `unknown_currency` and `invalid_rate`, and with `rate_of_the_future` a
 * day after `today`, the day of the shop.
 */
export function enterRate(
  db: Db,
  author: Author,
  { currency, perUsdMicros, day, reason }: RateOrder,
  { today, now }: { today: string; now: Date },
): Promise<Rate> {
  if (!isForeignCurrency(currency)) throw new Refusal('unknown_currency', { currency })
  if (perUsdMicros <= 0n || perUsdMicros > mostPerUsdMicros) throw new Refusal('invalid_rate')
  if (day !== null && day > today) throw new Refusal('rate_of_the_future', { day })
  const begins = day === null || day === today ? now : new Date(`${day}T00:00:00Z`)
  const setAt = begins < now ? begins : now
  return transaction(db, async (tx) => {
    const before = await inForce(tx, currency)
    await setRate(tx, { currency, perUsdMicros, setAt }, { at: now, by: author.name, source: 'hand', reason })
    const after = await inForce(tx, currency)
    if (after === undefined) throw new Error(`the rate of ${currency} is not there`)
    const entry = {
      action: 'set_rate',
      subject: { kind: 'rate', id: currency },
      before: { per_usd: before === undefined ? null : printRate(before.perUsdMicros) },
      after: { per_usd: printRate(perUsdMicros), day: setAt.toISOString().slice(0, 10) },
    } as const
    await record(tx, author, { ...entry, reason }, now)
    return after
  })
}

const inForce = async (db: Db, currency: string) =>
  (await listRates(db)).find((rate) => rate.currency === currency)

/** Enters the rates of a file without faults. */
export function enterRates(
  db: Db,
  author: Author,
  { rows, reason }: { rows: Rows; reason: string | null },
  now: Date,
): ReturnType<typeof importRates> {
  return transaction(db, async (tx) => {
    const done = await importRates(tx, rows, { at: now, by: author.name, reason })
    if (done.added === 0) return done
    const { changes, added } = done
    const of = (pick: (change: (typeof changes)[number]) => bigint | null) =>
      Object.fromEntries(
        changes.map((change) => {
          const micros = pick(change)
          return [change.currency, micros === null ? null : printRate(micros)]
        }),
      )
    const entry = {
      action: 'import_rates',
      subject: { kind: 'rate', id: 'file' },
      before: of(({ before }) => before),
      after: { added, ...of(({ after }) => after) },
    } as const
    await record(tx, author, { ...entry, reason }, now)
    return done
  })
}

/** Shows or hides prices in a currency; false: nothing changed. Refuses with `unknown_currency`. */
export function setDisplayCurrency(
  db: Db,
  author: Author,
  { currency, shown, reason }: { currency: string; shown: boolean; reason: string | null },
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const isDone = shown ? await offerCurrency(tx, currency, now) : await withdrawCurrency(tx, currency)
    if (!isDone) return false
    const entry = { action: 'set_display_currency', subject: { kind: 'rate', id: currency } } as const
    await record(tx, author, { ...entry, before: { shown: !shown }, after: { shown }, reason }, now)
    return true
  })
}
