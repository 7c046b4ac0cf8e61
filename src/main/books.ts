import type { Kysely } from 'kysely'
import { type DB, type DividedTable, missingMonths } from '#db'
import { closeMonths, type Finding, makeLedgerMonths, verifyLedger } from '#ledger'
import { forgetOldParts, makeMarginMonths } from '#margin'
import { verifyMoney } from '#purchase'
import { verifyPayouts } from '#referral'
import { addUpHours, forgetOldUsage, makeUsageMonths, type UsageKept, verifyTraffic } from '#traffic'

/**
 * Verifies the ledger, and payouts, money balances and the leases and reports of gateways against it. `full` also reads
 * closed months again.
 */
export async function verifyBooks(db: Kysely<DB>, { full = false } = {}): Promise<Finding[]> {
  return [
    ...(await verifyLedger(db, { full })),
    ...(await verifyTraffic(db, { full })),
    ...(await verifyPayouts(db)),
    ...(await verifyMoney(db)),
  ]
}

/**
 * Periodic work on ledger and usage: creates partitions of coming months, adds up hours, drops old usage,
 * closes months.
 */
export async function keepBooks(
  db: Kysely<DB>,
  kept: UsageKept,
): Promise<{ made: number; dropped: string[]; closed: string[] }> {
  const made = (await makeLedgerMonths(db)) + (await makeUsageMonths(db)) + (await makeMarginMonths(db))
  await addUpHours(db)
  const dropped = [...(await forgetOldUsage(db, kept)), ...(await forgetOldParts(db, kept.hourMonths))]
  // Last, because it fails when the ledger does not add up.
  return { made, dropped, closed: await closeMonths(db) }
}

const divided: readonly DividedTable[] = [
  'ledger_entry',
  'ledger_usage',
  'usage_hour',
  'usage_past_day',
  'margin_part',
]

/** Missing partitions of this month and the next: "ledger_entry for 2027-01". */
export async function missingPartitions(db: Kysely<DB>): Promise<string[]> {
  const missing: string[] = []
  for (const table of divided)
    for (const month of await missingMonths(db, table)) missing.push(`${table} for ${month.slice(0, 7)}`)
  return missing
}
