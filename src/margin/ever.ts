/** What was ever earned, for the comparison with the ledger. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { type LotMoney, paidForLots } from '#purchase'

/**
 * All that used traffic earned as the reports have it; what is paid for and not earned yet, by the purchases;
 * and, of invoices that are no purchases for the margin, what was paid: for no traffic, or with money that
 * staff had given. Fees and shares of those too.
 */
export async function earnedEver(
  db: Kysely<DB>,
): Promise<{ earned: LotMoney; unused: LotMoney; others: LotMoney }> {
  const sums = sql`coalesce(sum(revenue_micros), 0)::bigint as micros, coalesce(sum(fee_micros), 0)::bigint as "feeMicros",
    coalesce(sum(share_micros), 0)::bigint as "shareMicros"`
  const { rows: shown } = await sql<LotMoney>`select ${sums} from margin_hour`.execute(db)
  const { rows: noted } = await sql<LotMoney>`select ${sums} from margin_lot`.execute(db)
  const { lots, others } = await paidForLots(db)
  const earned = shown[0] ?? none
  return { earned, unused: less(lots, noted[0] ?? none), others }
}

const none: LotMoney = { micros: 0n, feeMicros: 0n, shareMicros: 0n }

const less = (a: LotMoney, b: LotMoney): LotMoney => ({
  micros: a.micros - b.micros,
  feeMicros: a.feeMicros - b.feeMicros,
  shareMicros: a.shareMicros - b.shareMicros,
})
