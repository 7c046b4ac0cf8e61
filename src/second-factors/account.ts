/**
 * The second factors of customers: an authenticator app, passkeys, recovery codes. Once a customer has an
 * authenticator app or a passkey, sign-ins need a second factor.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { replacesIn, type SealedColumn } from '#db/sealed'
import type { Secrets } from '#lib/secret'
import { takeChallenge } from './challenge.ts'
import { drawRecoveryCodes, recoveryDigest } from './recovery.ts'
import { totpStep } from './totp.ts'
import { type Json, type NewPasskey, provenPasskey, type RelyingParty } from './webauthn.ts'

/** The context that a customer's TOTP secret is sealed for. */
export const aboutAccountTotp = (accountId: bigint): string => `account-totp:${accountId}`

/** The settings needed to verify a factor. */
export interface FactorDeps {
  secrets: Secrets
  /** The site at which customers sign in. */
  party: RelyingParty
}

export type FactorKind = 'totp' | 'passkey' | 'recovery_code'

export type Proof =
  | { kind: 'totp'; code: string }
  | { kind: 'recovery_code'; code: string }
  | { kind: 'passkey'; response: Json }

/** The authenticator app of a customer; undefined: there is none. */
export const totpOf = (db: Kysely<DB>, accountId: bigint) =>
  db
    .selectFrom('account_totp')
    .select(['created_at', 'used_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()

/** The passkeys of a customer, in the order they were added. */
export const accountPasskeys = (db: Kysely<DB>, accountId: bigint) =>
  db.selectFrom('account_passkey').selectAll().where('account_id', '=', accountId).orderBy('id').execute()

/** How many recovery codes are left. */
export async function accountCodesLeft(db: Kysely<DB>, accountId: bigint): Promise<number> {
  const { count } = await db
    .selectFrom('account_recovery_code')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** What proves the owner of an account besides the password; empty: sign-ins need no second step. */
export async function accountFactors(db: Kysely<DB>, accountId: bigint): Promise<FactorKind[]> {
  const { rows } = await sql<{ totp: boolean; passkey: boolean; code: boolean }>`
    select exists (select from account_totp where account_id = ${accountId}) as totp,
      exists (select from account_passkey where account_id = ${accountId}) as passkey,
      exists (select from account_recovery_code where account_id = ${accountId} and used_at is null) as code
  `.execute(db)
  const { totp = false, passkey = false, code = false } = rows[0] ?? {}
  if (!totp && !passkey) return []
  return [
    ...(totp ? (['totp'] as const) : []),
    ...(passkey ? (['passkey'] as const) : []),
    ...(code ? (['recovery_code'] as const) : []),
  ]
}

/** Locks an account, so that its proofs and changes are serialised. */
export async function lockFactors(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await tx
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

/**
 * Whether the proof is valid; single-use proofs are used up, and the account is locked until the transaction
 * ends. `purpose`: what the passkey's challenge was made for.
 */
export async function provesFactor(
  tx: Transaction<DB>,
  deps: FactorDeps,
  { accountId, proof, purpose }: { accountId: bigint; proof: Proof; purpose: string },
  now: Date,
): Promise<boolean> {
  await lockFactors(tx, accountId)
  if (proof.kind === 'recovery_code') return spendCode(tx, accountId, proof.code, now)
  if (proof.kind === 'passkey') {
    const owner = await provesPasskey(tx, deps, { response: proof.response, purpose }, now)
    return owner === accountId
  }
  const totp = await tx
    .selectFrom('account_totp')
    .select(['sealed', 'last_step'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (totp === undefined) return false
  const secret = deps.secrets.open(totp.sealed, aboutAccountTotp(accountId))
  const step = await totpStep({ secret, code: proof.code, lastStep: totp.last_step, early: true }, now)
  if (step === null) return false
  await tx
    .updateTable('account_totp')
    .set({ last_step: step, used_at: now })
    .where('account_id', '=', accountId)
    .execute()
  return true
}

/** The owner of the passkey that a browser's answer proves for a challenge of this purpose, or null. */
export async function provesPasskey(
  tx: Transaction<DB>,
  { secrets, party }: FactorDeps,
  { response, purpose }: { response: Json; purpose: string },
  now: Date,
): Promise<bigint | null> {
  const challenge = await takeChallenge(tx, secrets, { response, purpose }, now)
  const id = response['id']
  if (challenge === null || typeof id !== 'string') return null
  const passkey = await tx
    .selectFrom('account_passkey')
    .selectAll()
    .where('credential_id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (passkey === undefined) return null
  const proven = await provenPasskey(party, { passkey, response, challenge })
  if (proven === null) return null
  await tx
    .updateTable('account_passkey')
    .set({ counter: proven.counter, is_backed_up: proven.isBackedUp, used_at: now })
    .where('id', '=', passkey.id)
    .execute()
  return passkey.account_id
}

/** The account whose passkey a browser's answer names, without any proof; null: none. */
export async function ownerOfPasskey(db: Kysely<DB>, response: Json): Promise<bigint | null> {
  const id = response['id']
  if (typeof id !== 'string') return null
  const row = await db
    .selectFrom('account_passkey')
    .select('account_id')
    .where('credential_id', '=', id)
    .executeTakeFirst()
  return row?.account_id ?? null
}

async function spendCode(tx: Transaction<DB>, accountId: bigint, code: string, now: Date): Promise<boolean> {
  const used = await tx
    .updateTable('account_recovery_code')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('code_sha256', '=', recoveryDigest(code))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return used.numUpdatedRows > 0n
}

/** Makes a secret whose code was accepted in `step` the account's; an earlier app ends. */
export async function storeTotp(
  tx: Transaction<DB>,
  { accountId, sealed, step }: { accountId: bigint; sealed: Buffer; step: bigint },
  now: Date,
): Promise<void> {
  const values = { sealed, last_step: step, created_at: now, used_at: null }
  await tx
    .insertInto('account_totp')
    .values({ account_id: accountId, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute()
}

/** Adds a passkey; false: it is known already. */
export async function storePasskey(
  tx: Transaction<DB>,
  { accountId, name, passkey }: { accountId: bigint; name: string; passkey: NewPasskey },
  now: Date,
): Promise<boolean> {
  const added = await tx
    .insertInto('account_passkey')
    .values({
      account_id: accountId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      is_backed_up: passkey.isBackedUp,
      name,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst()
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Removes the authenticator app; false: there was none. */
export async function dropTotp(tx: Transaction<DB>, accountId: bigint): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('account_totp')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  await dropCodesWithoutFactor(tx, accountId)
  return numDeletedRows > 0n
}

/** Removes a passkey and returns its name; null: the account has none with this id. */
export async function dropPasskey(
  tx: Transaction<DB>,
  accountId: bigint,
  passkeyId: bigint,
): Promise<string | null> {
  const dropped = await tx
    .deleteFrom('account_passkey')
    .where('id', '=', passkeyId)
    .where('account_id', '=', accountId)
    .returning('name')
    .executeTakeFirst()
  await dropCodesWithoutFactor(tx, accountId)
  return dropped?.name ?? null
}

/** Recovery codes replace a factor, so they are deleted when the account has no factor left. */
async function dropCodesWithoutFactor(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  if ((await accountFactors(tx, accountId)).length > 0) return
  await tx.deleteFrom('account_recovery_code').where('account_id', '=', accountId).execute()
}

/** Replaces the recovery codes by new ones and returns them, in groups of six characters. */
export async function renewCodes(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<string[]> {
  const drawn = drawRecoveryCodes()
  await tx.deleteFrom('account_recovery_code').where('account_id', '=', accountId).execute()
  await tx
    .insertInto('account_recovery_code')
    .values(drawn.map(({ digest }) => ({ account_id: accountId, code_sha256: digest, created_at: now })))
    .execute()
  return drawn.map(({ code }) => code)
}

/** Removes all factors of an account; returns which there were. */
export async function clearFactors(tx: Transaction<DB>, accountId: bigint): Promise<FactorKind[]> {
  const before = await accountFactors(tx, accountId)
  for (const table of ['account_totp', 'account_passkey', 'account_recovery_code'] as const)
    await tx.deleteFrom(table).where('account_id', '=', accountId).execute()
  return before
}

/**
 * The secrets of customers' authenticator apps. Those that are being set up are lost with a change of the
 * key.
 */
export const sealedAccountTotp: SealedColumn = {
  what: 'second factors of customers',
  async read(db, { after, limit }) {
    const rows = await db
      .selectFrom('account_totp')
      .select(['account_id', 'sealed'])
      .where('account_id', '>', after === null ? 0n : BigInt(after))
      .orderBy('account_id')
      .limit(limit)
      .execute()
    return rows.map(({ account_id: id, sealed }) => ({
      key: String(id),
      sealed,
      about: aboutAccountTotp(id),
      name: `account #${id}`,
    }))
  },
  write: replacesIn({ table: 'account_totp', id: 'account_id', column: 'sealed' }),
}
