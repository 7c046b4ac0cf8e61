/**
 * Changes that customers make to their own second factors. Only the recently proved owner may make them; the
 * owner is notified of every change.
 */
import type { Transaction } from 'kysely'
import { personOf, tellOfChange } from '#accounts'
import type { SecurityEvent } from '#contract/account-security/rules'
import { type DB, transaction, type Db } from '#db'
import {
  aboutAccountTotp,
  accountFactors,
  accountPasskeys,
  clearFactors,
  createdPasskey,
  creationOptions,
  dropPasskey,
  dropTotp,
  type FactorDeps,
  type Json,
  lockFactors,
  newChallenge,
  newTotp,
  renewCodes,
  storePasskey,
  storeTotp,
  takeChallenge,
  totpStep,
} from '#second-factors'
import { Refusal } from '#lib/refusal'
import { openOrNull } from '#lib/secret'

/** The maximum number of passkeys. */
const mostPasskeys = 20

/** The customer who changes their own account. */
export interface Own {
  accountId: bigint
  tokenSha256: Buffer
  ip: string
}

const addingFor = (tokenSha256: Buffer) => `add:${tokenSha256.toString('hex')}`

/** The account's name in an authenticator app and among passkeys. */
async function nameOf(db: Db, accountId: bigint): Promise<string> {
  const { username, email } = await personOf(db, accountId)
  return username ?? email ?? `#${accountId}`
}

/** Runs a change by the proved owner; changes of one account run one after the other. */
async function change<T>(
  db: Db,
  { accountId, ip }: Own,
  now: Date,
  work: (tx: Transaction<DB>) => Promise<{ event: SecurityEvent; answer: T } | null>,
): Promise<T | null> {
  return transaction(db, async (tx) => {
    await lockFactors(tx, accountId)
    const done = await work(tx)
    if (done === null) return null
    await tellOfChange(tx, accountId, { event: done.event, ip }, now)
    return done.answer
  })
}

/** A new secret for an authenticator app, kept with the session until a code of it is given. */
export async function beginTotp(
  db: Db,
  { secrets, party }: FactorDeps,
  { accountId, tokenSha256 }: Own,
): Promise<{ secret: string; uri: string }> {
  const about = aboutAccountTotp(accountId)
  const name = await nameOf(db, accountId)
  const { secret, uri, sealed } = newTotp(secrets, { about, name, issuer: party.name })
  await db
    .updateTable('session')
    .set({ totp_sealed: sealed })
    .where('token_sha256', '=', tokenSha256)
    .execute()
  return { secret, uri }
}

/** Makes the recovery codes of an account that just got its first factor; empty if it `had` one already. */
const firstCodes = async (tx: Transaction<DB>, accountId: bigint, had: boolean, now: Date) =>
  had ? [] : renewCodes(tx, accountId, now)

/**
 * Makes the new authenticator app the account's, in place of an earlier one. Returns recovery codes when it
 * is the first factor. Refuses with `wrong_factor`.
 */
export async function finishTotp(
  db: Db,
  { secrets }: FactorDeps,
  own: Own,
  code: string,
  now: Date,
): Promise<string[]> {
  const { accountId, tokenSha256 } = own
  const codes = await change(db, own, now, async (tx) => {
    const begun = await tx
      .selectFrom('session')
      .select('totp_sealed')
      .where('token_sha256', '=', tokenSha256)
      .forUpdate()
      .executeTakeFirst()
    const sealed = begun?.totp_sealed ?? null
    // After a change of SECRET_KEY the setup has to start over.
    const secret = sealed === null ? null : openOrNull(secrets, sealed, aboutAccountTotp(accountId))
    if (sealed === null || secret === null) return null
    const step = await totpStep({ secret, code, lastStep: null, early: true }, now)
    if (step === null) return null
    const had = (await accountFactors(tx, accountId)).length > 0
    await storeTotp(tx, { accountId, sealed, step }, now)
    await tx
      .updateTable('session')
      .set({ totp_sealed: null })
      .where('token_sha256', '=', tokenSha256)
      .execute()
    return { event: 'totp_added', answer: await firstCodes(tx, accountId, had, now) }
  })
  if (codes === null) throw new Refusal('wrong_factor')
  return codes
}

/** Removes the authenticator app, if there is one. */
export async function removeTotp(db: Db, own: Own, now: Date): Promise<void> {
  await change(db, own, now, async (tx) =>
    (await dropTotp(tx, own.accountId)) ? { event: 'totp_removed', answer: true } : null,
  )
}

/** The options for adding a passkey. Refuses with `too_many_passkeys`. */
export async function beginPasskey(
  db: Db,
  { secrets, party }: FactorDeps,
  { accountId, tokenSha256 }: Own,
  now: Date,
): Promise<Json> {
  const known = await accountPasskeys(db, accountId)
  if (known.length >= mostPasskeys) throw new Refusal('too_many_passkeys')
  const challenge = newChallenge(secrets, addingFor(tokenSha256), now)
  const name = await nameOf(db, accountId)
  return (await creationOptions(party, { userId: String(accountId), name, known, challenge })).options
}

/**
 * Adds a passkey. Returns recovery codes when it is the first factor. Refuses with `wrong_factor` and
 * `too_many_passkeys`.
 */
export async function finishPasskey(
  db: Db,
  { secrets, party }: FactorDeps,
  own: Own,
  { name, response }: { name: string; response: Json },
  now: Date,
): Promise<string[]> {
  const { accountId, tokenSha256 } = own
  const codes = await change(db, own, now, async (tx) => {
    if ((await accountPasskeys(tx, accountId)).length >= mostPasskeys) throw new Refusal('too_many_passkeys')
    const purpose = addingFor(tokenSha256)
    const challenge = await takeChallenge(tx, secrets, { response, purpose }, now)
    const passkey = challenge === null ? null : await createdPasskey(party, { response, challenge })
    const had = (await accountFactors(tx, accountId)).length > 0
    // Returns null instead of throwing, so that the transaction commits and the challenge is used up.
    if (passkey === null || !(await storePasskey(tx, { accountId, name, passkey }, now))) return null
    return { event: 'passkey_added', answer: await firstCodes(tx, accountId, had, now) }
  })
  if (codes === null) throw new Refusal('wrong_factor')
  return codes
}

/** Removes a passkey. Refuses with `passkey_not_found`. */
export async function removePasskey(db: Db, own: Own, passkeyId: bigint, now: Date): Promise<void> {
  const name = await change(db, own, now, async (tx) => {
    const dropped = await dropPasskey(tx, own.accountId, passkeyId)
    return dropped === null ? null : { event: 'passkey_removed', answer: dropped }
  })
  if (name === null) throw new Refusal('passkey_not_found')
}

/** Ten new recovery codes; the old ones end. Refuses with `no_second_factor`. */
export async function renewRecoveryCodes(db: Db, own: Own, now: Date): Promise<string[]> {
  const codes = await change(db, own, now, async (tx) => {
    if ((await accountFactors(tx, own.accountId)).length === 0) throw new Refusal('no_second_factor')
    return { event: 'recovery_codes_renewed', answer: await renewCodes(tx, own.accountId, now) }
  })
  return codes ?? []
}

/**
 * Removes all second factors of a customer who has lost them, and notifies the customer. Staff use it after
 * they have verified who asks. Returns the factors that were removed.
 */
export async function resetFactors(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<string[]> {
  await lockFactors(tx, accountId)
  const before = await clearFactors(tx, accountId)
  if (before.length > 0) await tellOfChange(tx, accountId, { event: 'factors_reset', ip: null }, now)
  return before
}
