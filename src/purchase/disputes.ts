/** Disputes of payers, by the time until which they have to be answered. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { DisputeState } from '#payments'

/**
 * A dispute that is not over: the processor may take the money until it is. A refund ends it only where the
 * processor does not tell of it. `invoice` is the table or its alias.
 */
export const isDisputeOpen = sql<boolean>`(
  disputed_at is not null and (state in ('paid', 'underpaid') or dispute_state is not null) and coalesce(dispute_state, 'needs_response') not in ('won', 'lost'))`

export interface ListedDispute {
  id: bigint
  number: string
  accountId: bigint
  method: string
  receivedMicros: bigint
  disputedAt: Date
  /** Null: the processor does not tell. */
  state: DisputeState | null
  respondBy: Date | null
  isOpen: boolean
  /** For the next page. */
  place: { group: string; due: string }
}

/**
 * Disputes, those that have to be answered first: of the open ones by their deadline, those without one after
 * them; at the end those that are over. Behind the dispute `after`.
 */
export async function listDisputes(
  db: Kysely<DB>,
  { onlyOpen }: { onlyOpen: boolean },
  { after, limit }: { after: { group: string; due: string; id: bigint } | null; limit: number },
): Promise<ListedDispute[]> {
  const group = sql`case when not ${isDisputeOpen} then 2 when dispute_state = 'under_review' then 1 else 0 end`
  const due = sql`coalesce(dispute_respond_by, 'infinity')`
  const behind =
    after === null
      ? sql`true`
      : sql`(${group}, ${due}, -id) > (${after.group}::integer, ${after.due}::timestamptz, -(${after.id}::bigint))`
  const { rows } = await sql<Omit<ListedDispute, 'place'> & { group: string; due: string }>`
    select id, number, account_id as "accountId", method, received_micros as "receivedMicros",
      disputed_at as "disputedAt", dispute_state as state, dispute_respond_by as "respondBy",
      ${isDisputeOpen} as "isOpen", (${group})::text as "group", (${due})::text as due
    from invoice where disputed_at is not null and ${onlyOpen ? isDisputeOpen : sql`true`} and ${behind}
    order by ${group}, ${due}, -id limit ${limit}`.execute(db)
  return rows.map(({ group: ofGroup, due: ofDue, ...row }) => ({
    ...row,
    place: { group: ofGroup, due: ofDue },
  }))
}
