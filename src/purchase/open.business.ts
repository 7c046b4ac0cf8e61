/** What is open at a processor, which other keys may not lead to. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { isDisputeOpen } from './disputes.ts'

export interface OpenBusiness {
  /** They may still be paid. */
  invoices: number
  /** They are not sent yet, or may still fail. */
  refunds: number
  disputes: number
}

/** Whether any payment has arrived from a processor; the sandbox is none. */
export async function hasSold(db: Kysely<DB>): Promise<boolean> {
  // The latest ones are enough, and are found by their index in a shop of any size.
  const { rows } = await sql`
    select from (select method, received_micros from invoice where settled_at is not null
      order by settled_at desc limit 1000) latest
    where received_micros > 0 and method not in ('sandbox', 'referral') limit 1`.execute(db)
  return rows.length > 0
}

/** As long as underpaid invoices are asked about. */
const stillAskedMs = 3 * 24 * 60 * 60_000

/** What is open at the processors of these payment methods, by method; a method with nothing is left out. */
export async function openBusiness(db: Kysely<DB>, now: Date): Promise<Map<string, OpenBusiness>> {
  const since = new Date(now.getTime() - stillAskedMs)
  const { rows } = await sql<{ method: string; invoices: bigint; refunds: bigint; disputes: bigint }>`
    with open as (
      select method, 1 as invoices, 0 as refunds, 0 as disputes from invoice
      where external_id is not null
        and (state = 'pending' or state = 'underpaid' and created_at > ${since})
      union all
      select method, 0, 1, 0 from refund where state in ('due', 'sent')
      union all
      select method, 0, 0, 1 from invoice where ${isDisputeOpen}
    )
    select method, sum(invoices)::bigint as invoices, sum(refunds)::bigint as refunds,
      sum(disputes)::bigint as disputes
    from open group by method`.execute(db)
  return new Map(
    rows.map(({ method, invoices, refunds, disputes }) => [
      method,
      { invoices: Number(invoices), refunds: Number(refunds), disputes: Number(disputes) },
    ]),
  )
}
