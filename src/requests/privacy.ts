/** Customers who chose that no visited hosts are stored. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { bigintArray } from '#lib/pg-array'

/** Whether no host of this customer may be stored. */
export async function withholdsHosts(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  return (await withholding(db, [accountId])).has(accountId)
}

/** The customers among these whose hosts may not be stored. */
export async function withholding(
  db: Kysely<DB>,
  accounts: readonly (bigint | null)[],
): Promise<Set<bigint>> {
  const { rows } = await sql<{ account_id: bigint }>`
    select account_id from host_privacy
    where account_id = any(${bigintArray([...new Set(accounts)])}::bigint[])`.execute(db)
  return new Set(rows.map((row) => row.account_id))
}

/**
 * Switches the storing of a customer's hosts off or on. Gateways are notified when the transaction commits,
 * and apply it to open connections too.
 */
export async function setWithholdsHosts(
  tx: Kysely<DB>,
  accountId: bigint,
  withholds: boolean,
): Promise<void> {
  if (withholds)
    await sql`insert into host_privacy (account_id) values (${accountId}) on conflict do nothing`.execute(tx)
  else await sql`delete from host_privacy where account_id = ${accountId}`.execute(tx)
  const { rows } = await sql<{
    login: string
  }>`select login from access where account_id = ${accountId}`.execute(tx)
  for (const { login } of rows)
    await sql`select pg_notify(${feedChannel}, ${printAnnouncement({ type: 'account_changed', login })})`.execute(
      tx,
    )
}
