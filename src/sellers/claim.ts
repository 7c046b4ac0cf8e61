/**
 * The claim of a reading on its account. A reading waits for the seller outside any transaction; meanwhile
 * staff may change the account or remove it, or the claim may expire. So each write of a reading locks the
 * account and compares the claim: what was read with other credentials, or for other exits, is not stored.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, type Execute, executeIn, transaction } from '#db'

export interface Claim {
  accountId: bigint
  /** Sealed with a random value: other after each change of the credentials. */
  credentialsSealed: Uint8Array
  /** As it is stored: other for each reading. */
  until: Date
}

/** The SQL condition that an account is claimed by this claim, and has the credentials with which it is read. */
const isClaimedBy = ({ accountId, credentialsSealed, until }: Claim) => sql<boolean>`
  id = ${accountId} and credentials_sealed = ${Buffer.from(credentialsSealed)} and claimed_until = ${until}`

/** The account was changed, removed or claimed again since the reading began. */
export class ClaimLost extends Error {}

/** Claims an account; null: another process reads it, or its credentials are other ones now. */
export async function claimAccount(
  db: Kysely<DB>,
  { id, credentialsSealed }: { id: bigint; credentialsSealed: Uint8Array },
  { now, forMs }: { now: Date; forMs: number },
): Promise<Claim | null> {
  const until = new Date(now.getTime() + forMs)
  const { numUpdatedRows } = await db
    .updateTable('seller_account')
    .set({ claimed_until: until })
    .where('id', '=', id)
    .where('credentials_sealed', '=', Buffer.from(credentialsSealed))
    .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<=', now)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n ? { accountId: id, credentialsSealed, until } : null
}

/** Ends a claim, unless the account has another one. */
export async function releaseAccount(db: Kysely<DB>, claim: Claim): Promise<void> {
  await db.updateTable('seller_account').set({ claimed_until: null }).where(isClaimedBy(claim)).execute()
}

/**
 * Locks the account until the end of the transaction, and returns it. Throws `ClaimLost` when the claim is
 * not its claim any more.
 */
export async function lockClaimed(execute: Execute, db: Kysely<DB>, claim: Claim) {
  const query = db
    .selectFrom('seller_account')
    .select(['places_sha256', 'places_rows', 'places_addresses', 'places_kept_sha256'])
    .where(isClaimedBy(claim))
    .forUpdate()
  const [row] = (await execute(query.compile())).rows
  if (row === undefined) throw new ClaimLost(`the account ${claim.accountId} was changed while it was read`)
  return row
}

/** Runs `work` in a transaction that has locked the account. Throws `ClaimLost`. */
export function whileClaimed<T>(
  db: Kysely<DB>,
  claim: Claim,
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  return transaction(db, async (tx) => {
    await lockClaimed(executeIn(tx), tx, claim)
    return work(tx)
  })
}
