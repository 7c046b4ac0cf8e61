/**
 * Months of the ledger: partitions are created ahead, and months are closed and verified when they are over.
 */
import { type Kysely, sql } from 'kysely'
import { allowLongStatements, type DB, limitLockWaits, makeMonths, transaction } from '#db'
import { digestOfSums, digestsOf, rowsOfMonth, sumsOf } from './rows.ts'
import { chainOf, monthText, unbalancedSums, verifiedMonths } from './verify.months.ts'
import { wrongRows } from './verify.rows.ts'

/** The reason why a command on the ledger cannot be executed, as a sentence for the operator. */
export class LedgerFault extends Error {}

/** Creates the partitions that the ledger needs soon; returns how many were created. */
export async function makeLedgerMonths(db: Kysely<DB>): Promise<number> {
  return (await makeMonths(db, 'ledger_entry')) + (await makeMonths(db, 'ledger_usage'))
}

/**
 * Closes and verifies all months that are over, oldest first, and returns them (YYYY-MM). Closing a month is
 * quick; the verification reads all of it in one transaction, which takes minutes for a hundred million
 * entries and blocks no other work. Throws `LedgerFault` when the entries of a month do not sum to zero; the
 * month stays unverified until they do.
 */
export async function closeMonths(db: Kysely<DB>): Promise<string[]> {
  for (;;) {
    const month = await monthToClose(db)
    if (month === null) break
    await closeOpenHours(db, month)
    await transaction(db, async (tx) => {
      await limitLockWaits(tx)
      await sql`insert into ledger_month (month) values (${month}::date)`.execute(tx)
    })
  }
  const verified: string[] = []
  const { rows } = await sql<{ month: string }>`
    select month from ledger_month m where not exists (select from ledger_month_digest d where d.month = m.month)
    order by month`.execute(db)
  for (const { month } of rows) if (await verifyMonth(db, month)) verified.push(monthText(month))
  return verified
}

/**
 * The next month to close: the one after the last closed month, else the first with postings; null if it has
 * not ended.
 */
async function monthToClose(db: Kysely<DB>): Promise<string | null> {
  const { rows } = await sql<{ month: string | null }>`
    select month from (
      select coalesce(
        (select (max(month) + interval '1 month')::date from ledger_month),
        (select least(
          (select min(month) from ledger_transaction),
          (select month_of(min(hour)) from ledger_usage),
          (select month_of(min(open_hour)) from ledger_balance)))) as month
    ) next
    where (month + interval '1 month') at time zone 'UTC' <= now()`.execute(db)
  return rows[0]?.month ?? null
}

/** Balances changed together. Purchases by these customers wait for some tenths of a second. */
const hoursAtOnce = 5000

/** Closes the open hours up to the end of this month, as the next settlement of each account would. */
async function closeOpenHours(db: Kysely<DB>, month: string): Promise<void> {
  for (let after: bigint | null = 0n; after !== null;) {
    const { rows }: { rows: { last: bigint | null }[] } = await sql<{ last: bigint | null }>`
      with closed as (
        update ledger_balance b set open_hour = o.hour, open_bytes = 0
        from (
          select account_id, (select ledger_open_hour()) as hour from ledger_balance
          where open_hour < (${month}::date + interval '1 month') at time zone 'UTC' and account_id > ${after}
          order by account_id limit ${hoursAtOnce} for no key update
        ) o
        where b.account_id = o.account_id
        returning b.account_id
      )
      select max(account_id) as last from closed`.execute(db)
    after = rows[0]?.last ?? null
  }
}

/** Verifies a closed month. False when another process is verifying it. */
function verifyMonth(db: Kysely<DB>, month: string): Promise<boolean> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      await allowLongStatements(tx)
      const { rows: lock } = await sql<{ is_ours: boolean }>`
        select pg_try_advisory_xact_lock(hashtext('ledger_month')) as is_ours`.execute(tx)
      if (lock[0]?.is_ours !== true) return false
      const before = (await verifiedMonths(tx)).at(-1) ?? null
      const rows = rowsOfMonth(month)
      await openHouseAccounts(tx, month)
      const [wrong] = await wrongRows(tx, rows)
      await sql`
        insert into ledger_month_sum (month, account_id, amount, used_bytes)
        select ${month}::date, account_id, amount, used_bytes from ${sumsOf(rows)} s
        where amount <> 0 or used_bytes <> 0`.execute(tx)
      const [unbalanced] = await unbalancedSums(tx, { month })
      const found = wrong ?? unbalanced
      if (found !== undefined)
        throw new LedgerFault(
          `${monthText(month)} is closed and does not add up: ${found.subject}: ${found.detail}. See: turnpike ledger verify`,
        )
      const digests = await digestsOf(tx, rows)
      const sums = await digestOfSums(tx, month)
      const chain = chainOf(before?.chain ?? null, { month, ...digests, sums })
      await tx
        .insertInto('ledger_month_digest')
        .values({ month, ...digests, sums, chain })
        .execute()
      return true
    })
}

/** Opens `traffic_used`, the other side of used traffic, for pools in which it does not exist yet. */
async function openHouseAccounts(tx: Kysely<DB>, month: string): Promise<void> {
  await sql`
    insert into ledger_account (kind, currency, pool)
    select distinct 'traffic_used', 'byte', a.pool
    from ${rowsOfMonth(month).usage} u join ledger_account a on a.id = u.account_id
    where not exists (select from ledger_account h
      where h.kind = 'traffic_used' and h.currency = 'byte' and h.customer_id is null and h.pool = a.pool)
    on conflict do nothing`.execute(tx)
}
