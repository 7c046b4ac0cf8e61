/** Sellers' answers, stored verbatim. */
import { type Kysely, sql } from 'kysely'
import type { SellerPart } from '#contract/desk/choices'
import type { DB } from '#db'

export interface SellerAnswer {
  part: SellerPart
  /** YYYY-MM-DD, UTC. */
  day: string
  at: Date
  body: string
}

/** The stored answers of an account, newest first, optionally of one day. */
export async function sellerAnswers(
  db: Kysely<DB>,
  id: bigint,
  { day, limit }: { day?: string | undefined; limit: number },
): Promise<SellerAnswer[]> {
  const rows = await db
    .selectFrom('seller_answer')
    .select(['part', 'at', 'body', sql<string>`day::text`.as('day')])
    .where('account_id', '=', id)
    .$if(day !== undefined, (query) => query.where('day', '=', day ?? ''))
    .orderBy('day', 'desc')
    .orderBy('part')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, part: row.part as SellerPart }))
}
