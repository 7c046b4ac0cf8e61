import type { Kysely } from 'kysely'
import type { DB } from '#db'

/** What a campaign (the `source` that people signed up with) has brought. */
export interface Campaign {
  code: string
  signUps: bigint
  /** Those of them who have paid with real money. */
  buyers: bigint
  /** Micro-USD received from them, less what was given back. */
  revenueMicros: bigint
}

/** All campaigns with sign-ups, in the descending order of these. */
export async function campaigns(db: Kysely<DB>): Promise<Campaign[]> {
  const rows = await db
    .selectFrom('campaign')
    .selectAll()
    .orderBy('sign_ups', 'desc')
    .orderBy('code')
    .execute()
  // Columns of a view have no "not null", whatever it computes.
  return rows.map((row) => ({
    code: row.code ?? '',
    signUps: row.sign_ups ?? 0n,
    buyers: row.buyers ?? 0n,
    revenueMicros: row.revenue_micros ?? 0n,
  }))
}
