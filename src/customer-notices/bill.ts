/** The monthly notice with the last hash of the bill: every customer gets a copy without asking for it. */
import { sql } from 'kysely'
import { type Db, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import { billMonth, type MonthEnd, monthEnds } from '#ledger'
import { tell } from './tell.ts'

/**
 * The hour of a month (UTC) from which the bill of the previous month is sent: by then it includes what
 * gateways could not report at midnight.
 */
const toldFromHour = 6
const customersAtOnce = 500

/**
 * Notifies each customer who had traffic in a month of the bill, once that month is over; once for each
 * month, by any number of processes. Months that the shop missed are reported together in one notice, at most
 * two months later. Stops when `isOver` says so; the next run continues. Returns the number of notices.
 */
export async function sendBillNotices(
  db: Db,
  now: Date,
  isOver: () => boolean = () => false,
): Promise<number> {
  const until = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
  if (now.getTime() < until.getTime() + toldFromHour * 3_600_000) return 0
  let sent = 0
  for (let after: bigint | null = 0n; after !== null && !isOver();) {
    const { ends, next } = await monthEnds(db, { until, after, limit: customersAtOnce })
    for (const one of await untold(db, ends)) if (await tellOf(db, one, now)) sent++
    after = next
  }
  return sent
}

async function untold(db: Db, ends: readonly MonthEnd[]): Promise<MonthEnd[]> {
  const { rows } = await sql<{ id: bigint; month: string }>`
    select account_id as id, month::text as month from bill_told
    where account_id = any(${bigintArray(ends.map(({ accountId }) => accountId))}::bigint[])`.execute(db)
  const told = new Set(rows.map(({ id, month }) => `${id} ${month}`))
  return ends.filter(({ accountId, month }) => !told.has(`${accountId} ${month}`))
}

function tellOf(db: Db, end: MonthEnd, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    const { accountId, month } = end
    const { rows } = await sql`
      insert into bill_told (account_id, month, line, told_at)
      values (${accountId}, ${month}::date, ${end.line}, ${now}) on conflict do nothing returning 1`.execute(
      tx,
    )
    if (rows.length === 0) return false
    const { line, hour, head, chargedBytes, charged } = await billMonth(tx, end)
    const told = { month, line: String(line), hour, charged_bytes: String(chargedBytes), head, charged }
    return tell(tx, accountId, { kind: 'bill', ...told }, now)
  })
}
