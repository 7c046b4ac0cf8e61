import type { Kysely } from 'kysely'
import { type DB, type DividedTable, missingMonths } from '#db'
import { closeMonths, type Finding, makeLedgerMonths, verifyLedger } from '#ledger'
import { addUpDays, forgetOldUsage, makeUsageMonths, type UsageKept, verifyTraffic } from '#traffic'

/**
 * Adds up everything that money and traffic depend on: the ledger, and what gateways hold and have reported. `full` reads
 * closed months again too.
 */
export async function verifyBooks(db: Kysely<DB>, { full = false } = {}): Promise<Finding[]> {
  return [...(await verifyLedger(db, { full })), ...(await verifyTraffic(db, { full }))]
}

/** What the books need from time to time: partitions of coming months, days added up, old usage dropped, months closed. */
export async function keepBooks(
  db: Kysely<DB>,
  kept: UsageKept,
): Promise<{ made: number; dropped: string[]; closed: string[] }> {
  const made = (await makeLedgerMonths(db)) + (await makeUsageMonths(db))
  await addUpDays(db)
  const dropped = await forgetOldUsage(db, kept)
  // The last, for it fails when the books do not add up.
  return { made, dropped, closed: await closeMonths(db) }
}

const divided: readonly DividedTable[] = ['ledger_entry', 'ledger_usage', 'usage_hour', 'usage_past_day']

/** Partitions of this month and the next that were not made: "ledger_entry for 2027-01". */
export async function missingPartitions(db: Kysely<DB>): Promise<string[]> {
  const missing: string[] = []
  for (const table of divided)
    for (const month of await missingMonths(db, table)) missing.push(`${table} for ${month.slice(0, 7)}`)
  return missing
}
