/** Saved payment methods: their sealed ids, display names, and removal. */
import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { type DB, lockName } from '#db'
import { addJob } from '#db/jobs'
import { replacesIn, type SealedColumn } from '#db/sealed'
import { Refusal } from '#lib/refusal'
import { openOrNull, type Secrets } from '#lib/secret'
import type { FoundMethod, MethodIds, PaymentMethods } from '#payments'

export interface SavedMethod {
  id: bigint
  accountId: bigint
  /** The payment method of the shop that charges it. */
  method: string
  brand: string
  last4: string | null
  /** YYYY-MM */
  expires: string | null
  savedAt: Date
}

/** The lock that serialises all changes to a customer's top-ups. */
export const lockTopUps = (tx: Kysely<DB>, accountId: bigint) => lockName(tx, `top-ups of ${accountId}`)

/** The display name of a saved method: "Visa •• 4242". */
export const cardText = ({ brand, last4 }: Pick<SavedMethod, 'brand' | 'last4'>): string =>
  last4 === null ? brand : `${brand}\u{a0}••\u{a0}${last4}`

/** Sealed for one account: copied to another it does not open. */
const aboutIds = (accountId: bigint) => `saved-method:${accountId}`

/** The ids of all saved methods. */
export const sealedMethodIds: SealedColumn = {
  what: 'saved payment methods',
  async read(db, { after, limit }) {
    const rows = await db
      .selectFrom('saved_method')
      .select(['id', 'account_id', 'sealed'])
      .where('id', '>', after === null ? 0n : BigInt(after))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id, account_id: accountId, sealed }) => ({
      key: String(id),
      sealed,
      about: aboutIds(accountId),
      name: `a payment method of account ${accountId}`,
    }))
  },
  write: replacesIn({ table: 'saved_method', id: 'id', column: 'sealed' }),
}

const savedRows = (db: Kysely<DB>) =>
  db
    .selectFrom('saved_method')
    .select(['id', 'account_id', 'method', 'brand', 'last4', 'expires', 'saved_at', 'sealed'])

const read = (row: Awaited<ReturnType<ReturnType<typeof savedRows>['executeTakeFirstOrThrow']>>) => ({
  id: row.id,
  accountId: row.account_id,
  method: row.method,
  brand: row.brand,
  last4: row.last4,
  expires: row.expires,
  savedAt: row.saved_at,
  sealed: row.sealed,
})

/** How many methods are saved, by the payment method that charges them. */
export async function countSaved(db: Kysely<DB>): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('saved_method')
    .select(['method', (build) => build.fn.countAll<bigint>().as('count')])
    .groupBy('method')
    .execute()
  return new Map(rows.map(({ method, count }) => [method, Number(count)]))
}

/** The saved methods of a customer, the oldest first. */
export async function savedMethods(db: Kysely<DB>, accountId: bigint): Promise<SavedMethod[]> {
  return (await savedRows(db).where('account_id', '=', accountId).orderBy('id').execute()).map(read)
}

/** Refuses with `saved_method_not_found`, also for one of another customer. */
export async function savedMethodOf(db: Kysely<DB>, accountId: bigint, id: bigint): Promise<SavedMethod> {
  const row = await savedRows(db).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst()
  if (row === undefined) throw new Refusal('saved_method_not_found')
  return read(row)
}

/** The processor's ids of a saved method; null: it no longer exists, or no key unseals it. */
export async function idsOf(db: Kysely<DB>, secrets: Secrets, id: bigint): Promise<MethodIds | null> {
  const row = await savedRows(db).where('id', '=', id).executeTakeFirst()
  const text = row === undefined ? null : openOrNull(secrets, row.sealed, aboutIds(row.account_id))
  return text === null ? null : (JSON.parse(text) as MethodIds)
}

/**
 * The key by which a method that is saved again is recognised. Brand and last digits are not enough: two
 * cards of one customer may share them, and consent to charge one does not cover the other.
 */
const identityOf = ({ fingerprint, id }: FoundMethod): Buffer =>
  createHash('sha256')
    .update(fingerprint === null ? `id ${id}` : `fingerprint ${fingerprint}`)
    .digest()

/**
 * Stores a method. When the same method is saved again, its data is replaced, and the processor is asked to
 * forget the earlier id. Returns the method's id.
 */
export async function keepMethod(
  tx: Transaction<DB>,
  secrets: Secrets,
  { accountId, method, found }: { accountId: bigint; method: string; found: FoundMethod },
  now: Date,
): Promise<bigint> {
  const { brand, last4, expires, id, customer } = found
  const sealed = secrets.seal(JSON.stringify({ id, customer }), aboutIds(accountId))
  const identity = identityOf(found)
  const values = { account_id: accountId, method, sealed, identity, brand, last4, expires, saved_at: now }
  const known = await tx
    .selectFrom('saved_method')
    .select(['id', 'sealed'])
    .where('account_id', '=', accountId)
    .where('method', '=', method)
    .where('identity', '=', identity)
    .forUpdate()
    .executeTakeFirst()
  if (known !== undefined) {
    const before = openOrNull(secrets, known.sealed, aboutIds(accountId))
    if (before !== null && (JSON.parse(before) as MethodIds).id !== id)
      await forgetLater(tx, { accountId, method, sealed: known.sealed })
    await tx.updateTable('saved_method').set(values).where('id', '=', known.id).execute()
    return known.id
  }
  const row = await tx.insertInto('saved_method').values(values).returning('id').executeTakeFirstOrThrow()
  return row.id
}

/** The job that makes the processor forget a method. */
export const forgetMethodTask = 'forget_saved_method'
const forgetAttempts = 8

/**
 * Deletes a method in a transaction: from its commit nothing is charged with it. That the processor forgets
 * it too is tried afterwards, and the removal does not depend on it. The caller has switched off what uses
 * it.
 */
export async function deleteMethod(tx: Transaction<DB>, { id, accountId }: SavedMethod): Promise<void> {
  const row = await tx
    .deleteFrom('saved_method')
    .where('id', '=', id)
    .returning(['method', 'sealed'])
    .executeTakeFirst()
  if (row === undefined) return
  await forgetLater(tx, { accountId, ...row })
}

async function forgetLater(
  tx: Transaction<DB>,
  { accountId, method, sealed }: { accountId: bigint; method: string; sealed: Buffer },
): Promise<void> {
  const payload = { account_id: String(accountId), method, sealed: sealed.toString('base64') }
  await addJob(tx, forgetMethodTask, payload, { maxAttempts: forgetAttempts, to: 'processor' })
}

/** Makes the processor of a removed method forget it. */
export async function forgetMethod(
  { methods, secrets }: { methods: PaymentMethods; secrets: Secrets },
  payload: unknown,
): Promise<void> {
  const { account_id: accountId, method, sealed } = payload as Record<string, string>
  const text = openOrNull(secrets, Buffer.from(sealed ?? '', 'base64'), aboutIds(BigInt(accountId ?? 0)))
  if (text === null) return
  await methods.find(method ?? '')?.saved?.forget(JSON.parse(text) as MethodIds)
}
