/** Rates from a CSV file: currency, date, rate. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { FaultCode, FaultFacts, Said } from '#contract/desk/faults'
import { isForeignCurrency, parseRate } from '#contract/rates/rates'
import { type DB, lockName } from '#db'
import { type CsvSource, ImportFault, readCsv } from '#lib/csv/read-csv'

const columns = { required: ['currency', 'date', 'rate'], optional: [] } as const

/** 25 years of 10 currencies; the file of one import is held in memory. */
const mostRows = 100_000
/** The maximum number of invalid lines named; the others are only counted. */
const mostFaults = 1000

interface DayRate {
  currency: string
  /** YYYY-MM-DD */
  day: string
  perUsdMicros: bigint
}

/** The change of a currency's rate in force; null: it had none. */
interface RateChange {
  currency: string
  before: bigint | null
  after: bigint
  day: string
}

export interface ReadRates {
  rows: DayRate[]
  faults: Said[]
  /** The total number of invalid lines; `faults` names the first ones. */
  faulty: number
}

/** Rejects impossible dates: JavaScript parses February 30 as March 2. */
const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** Quotes a file's text in a message: shortened, with control characters replaced. */
const quoted = (text: string) => text.slice(0, 40).replaceAll(/[\p{Cc}\p{Cf}]/gu, '�')

/**
 * Parses a file and reports invalid lines; stores nothing. `today` is the day of the shop: later ones are
 * refused. The columns may stand in any order; commas, semicolons or tabs separate them.
 */
export async function readRates(file: CsvSource, today: string): Promise<ReadRates> {
  const found: ReadRates = { rows: [], faults: [], faulty: 0 }
  const lines = new Map<string, { line: number; perUsdMicros: bigint }>()
  const say = (fault: Said) => {
    found.faulty++
    if (found.faults.length < mostFaults) found.faults.push(fault)
  }
  let count = 0
  try {
    for await (const { line, fields } of readCsv(file, columns, say)) {
      if (++count > mostRows) {
        say({ code: 'rates_many', facts: { most: mostRows } })
        break
      }
      const fault = (column: string, code: FaultCode, facts: FaultFacts) =>
        say({ code, facts: { line, column, ...facts } })
      const row = readRow(fields, today, fault)
      if (row === null) continue
      const key = `${row.currency} ${row.day}`
      const first = lines.get(key)
      if (first === undefined) {
        lines.set(key, { line, perUsdMicros: row.perUsdMicros })
        found.rows.push(row)
      } else if (first.perUsdMicros !== row.perUsdMicros)
        fault('rate', 'rates_twice', { currency: row.currency, day: row.day, first: first.line })
    }
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error
    for (const fault of error.faults) say(fault)
  }
  if (count === 0 && found.faulty === 0) say({ code: 'import_no_rows', facts: {} })
  return found
}

function readRow(
  fields: Record<'currency' | 'date' | 'rate', string>,
  today: string,
  fault: (column: string, code: FaultCode, facts: FaultFacts) => void,
): DayRate | null {
  const currency = fields.currency.toUpperCase()
  const { date: day, rate } = fields
  const perUsdMicros = parseRate(rate)
  const isCurrency = /^[A-Z]{3}$/.test(currency) && isForeignCurrency(currency)
  if (!isCurrency) fault('currency', 'rates_currency', { text: quoted(fields.currency) })
  if (!isDay(day)) fault('date', 'rates_day', { text: quoted(day) })
  else if (day > today) fault('date', 'rates_future', { text: day })
  if (perUsdMicros === null) fault('rate', 'rates_rate', { text: quoted(rate) })
  return isCurrency && isDay(day) && day <= today && perUsdMicros !== null
    ? { currency, day, perUsdMicros }
    : null
}

export interface ImportedRates {
  added: number
  /** The number of lines whose rate is already known. */
  known: number
  /** The currencies whose current rate changes. */
  changes: RateChange[]
}

/** The rate of each of these currencies and days, the one that a file gave last, and the one in force. */
async function knownRates(db: Kysely<DB>, currencies: readonly string[]) {
  const { rows } = await sql<{ currency: string; day: string; per_usd_micros: bigint }>`
    select distinct on (currency, day) currency, day::text as day, per_usd_micros from exchange_rate
    where currency = any(${currencies}) order by currency, day, id desc`.execute(db)
  const byDay = new Map(rows.map((row) => [`${row.currency} ${row.day}`, row.per_usd_micros]))
  const inForce = new Map(rows.map((row) => [row.currency, { day: row.day, micros: row.per_usd_micros }]))
  const { rows: files } = await sql<{ currency: string; day: string; per_usd_micros: bigint }>`
    select distinct on (currency, day) currency, day::text as day, per_usd_micros from exchange_rate
    where currency = any(${currencies}) and source = 'file' order by currency, day, id desc`.execute(db)
  const byFile = new Map(files.map((row) => [`${row.currency} ${row.day}`, row.per_usd_micros]))
  return { byDay, byFile, inForce }
}

/** Previews an import of these rows. */
export async function compareRates(
  db: Kysely<DB>,
  rows: readonly DayRate[],
): Promise<ImportedRates & { fresh: DayRate[] }> {
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  const { byDay, byFile, inForce } = await knownRates(db, currencies)
  // The last imported rate of a day counts as known even if it was corrected by hand since: importing the
  // same file again keeps the correction.
  const fresh = rows.filter(({ currency, day, perUsdMicros }) => {
    const key = `${currency} ${day}`
    return byDay.get(key) !== perUsdMicros && byFile.get(key) !== perUsdMicros
  })
  const changes = [...Map.groupBy(fresh, ({ currency }) => currency)].flatMap(
    ([currency, some]): RateChange[] => {
      const before = inForce.get(currency)
      const [last] = some.toSorted((one, other) => other.day.localeCompare(one.day))
      if (last === undefined || (before !== undefined && last.day < before.day)) return []
      return [{ currency, before: before?.micros ?? null, after: last.perUsdMicros, day: last.day }]
    },
  )
  return { added: fresh.length, known: rows.length - fresh.length, changes, fresh }
}

/** Stores the rates of a valid file; skips days whose rate is already known. */
export async function importRates(
  tx: Transaction<DB>,
  rows: readonly DayRate[],
  { at, by, reason }: { at: Date; by: string; reason: string | null },
): Promise<ImportedRates> {
  await lockName(tx, 'exchange rates')
  const { fresh, ...result } = await compareRates(tx, rows)
  for (let from = 0; from < fresh.length; from += 2000) {
    const some = fresh.slice(from, from + 2000)
    const values = some.map(({ currency, day, perUsdMicros }) => {
      const begins = new Date(`${day}T00:00:00Z`)
      // East of Greenwich the shop's day begins before the UTC day: a rate of today must not lie in the
      // future.
      const setAt = begins < at ? begins : at
      return {
        currency,
        per_usd_micros: perUsdMicros,
        set_at: setAt,
        entered_at: at,
        entered_by: by,
        source: 'file',
        reason,
      }
    })
    await tx.insertInto('exchange_rate').values(values).execute()
  }
  return result
}
