import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { type Finding, verifyLedger } from '#ledger'
import { verifyTraffic } from '#traffic'

/** Adds up everything that money and traffic depend on: the ledger, and what gateways hold and have reported. */
export async function verifyBooks(db: Kysely<DB>): Promise<Finding[]> {
  return [...(await verifyLedger(db)), ...(await verifyTraffic(db))]
}
