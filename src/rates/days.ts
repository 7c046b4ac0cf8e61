/** Daily rates, for converting past amounts to USD. */
import { type Kysely, sql } from 'kysely'
import { baseCurrency } from '#contract/rates/rates'
import type { DB } from '#db'
import { textArray } from '#lib/pg-array'

/**
 * The rate of a currency on a day (YYYY-MM-DD, UTC): the last one of that day or of the latest before it,
 * however old; that of USD is one. Null: there is no rate; callers must not assume a rate of one.
 */
export async function ratesOfDays(
  db: Kysely<DB>,
  currencies: readonly string[],
): Promise<(currency: string, day: string) => bigint | null> {
  const foreign = currencies.filter((currency) => currency !== baseCurrency)
  const { rows } =
    foreign.length === 0
      ? { rows: [] }
      : await sql<{ currency: string; day: string; rate: bigint }>`
          select distinct on (currency, day) currency, day::text as day, per_usd_micros as rate from exchange_rate
          where currency = any(${textArray(foreign)}::text[]) order by currency, day, id desc`.execute(db)
  const ofCurrency = Map.groupBy(rows, ({ currency }) => currency)
  return (currency, day) => {
    if (currency === baseCurrency) return 1_000_000n
    return ofCurrency.get(currency)?.findLast((row) => row.day <= day)?.rate ?? null
  }
}
