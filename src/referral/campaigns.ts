import type { Kysely } from 'kysely'
import type { DB } from '#db'

/** The results of a campaign (the `source` of sign-ups). */
export interface Campaign {
  code: string
  signUps: bigint
  /** The number of sign-ups who have paid with real money. */
  buyers: bigint
  /** Micro-USD received from them, less refunds. */
  revenueMicros: bigint
}

/** All campaigns with sign-ups, in descending order of their number. */
export async function campaigns(db: Kysely<DB>): Promise<Campaign[]> {
  const rows = await db
    .selectFrom('campaign')
    .selectAll()
    .orderBy('sign_ups', 'desc')
    .orderBy('code')
    .execute()
  // Columns of a view are never "not null", whatever they compute.
  return rows.map((row) => ({
    code: row.code ?? '',
    signUps: row.sign_ups ?? 0n,
    buyers: row.buyers ?? 0n,
    revenueMicros: row.revenue_micros ?? 0n,
  }))
}
