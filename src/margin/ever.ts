/** The all-time revenue, for the comparison with the ledger. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { type LotMoney, paidForLots } from '#purchase'

/**
 * The all-time revenue of used traffic by the reports; the paid and not yet earned part of purchases; and the
 * payments of invoices that the margin does not treat as purchases, because they brought no traffic or were
 * paid with money given by staff. Each with its fees and referral shares.
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
