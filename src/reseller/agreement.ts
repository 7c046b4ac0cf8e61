/** The rate limit of a customer's programs, as agreed with the shop. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

/** The multiple of the usual rate limit agreed with a customer, and since when; null: the usual limit. */
export async function agreedPace(
  db: Kysely<DB>,
  accountId: bigint,
): Promise<{ times: number; agreedAt: Date } | null> {
  const { rows } = await sql<{ times: number; agreedAt: Date }>`
    select pace_times as times, agreed_at as "agreedAt" from reseller_agreement
    where account_id = ${accountId}`.execute(db)
  return rows[0] ?? null
}

/** Agrees on a multiple of the usual rate limit, in force from the next call on; 1: the usual limit. */
export async function agreePace(
  db: Kysely<DB>,
  { accountId, times }: { accountId: bigint; times: number },
  now: Date,
): Promise<void> {
  if (times === 1) await sql`delete from reseller_agreement where account_id = ${accountId}`.execute(db)
  else
    await sql`
      insert into reseller_agreement (account_id, pace_times, agreed_at) values (${accountId}, ${times}, ${now})
      on conflict (account_id) do update set pace_times = excluded.pace_times, agreed_at = excluded.agreed_at`.execute(
      db,
    )
}
