/** Changes by a member to their own sign-in: password, authenticator app, passkeys, recovery codes. */
import type { Transaction } from 'kysely'
import { checkPassword, hashPassword } from '#accounts'
import { type DB, transaction, type Db } from '#db'
import { createdPasskey, newTotp, totpStep } from '#second-factors'
import { Refusal } from '#lib/refusal'
import { type Author, record } from './audit.ts'
import type { Member } from './call.ts'
import { addPasskey, creationOptions, passkeysOf } from './passkey.ts'
import { newRecoveryCodes } from './recovery.ts'
import { endSessions } from './session.ts'
import { keepChallenge, type SignInDeps, takeChallenge } from './signin.ts'
import { aboutTotp } from './totp.ts'

/** Records a change of a member's own sign-in. */
const noteOwn = (
  tx: Transaction<DB>,
  { member, author }: { member: Member; author: Author },
  { action, after }: { action: string; after?: unknown },
  now: Date,
) => record(tx, author, { action, subject: { kind: 'staff', id: String(member.id) }, after }, now)

/** Who acts, on their own sign-in. */
export interface Own {
  member: Member
  author: Author
}

/** Sets the password; all other sessions end. Refuses with `invalid_password` and `password_too_common`. */
export async function changeOwnPassword(db: Db, own: Own, password: string, now: Date): Promise<void> {
  const passwordHash = await hashPassword(checkPassword(password))
  const { id, session } = own.member
  await transaction(db, async (tx) => {
    await tx
      .updateTable('staff')
      .set({ password_hash: passwordHash, updated_at: now })
      .where('id', '=', id)
      .execute()
    const ended = await endSessions(tx, id, { except: session.id })
    await noteOwn(tx, own, { action: 'change_my_password', after: { sessions_ended: ended } }, now)
  })
}

/** A new secret for an authenticator app, kept with the session until a code of it is given. */
export async function beginTotp(
  db: Db,
  { secrets, party }: Pick<SignInDeps, 'secrets' | 'party'>,
  { id, name, session }: Member,
): Promise<{ secret: string; uri: string }> {
  const { secret, uri, sealed } = newTotp(secrets, { about: aboutTotp(id), name, issuer: party.name })
  await db.updateTable('staff_session').set({ totp_sealed: sealed }).where('id', '=', session.id).execute()
  return { secret, uri }
}

/**
 * Makes the new authenticator app the member's; new recovery codes replace the old. Refuses with
 * `wrong_factor`.
 */
export function finishTotp(
  db: Db,
  { secrets }: Pick<SignInDeps, 'secrets'>,
  own: Own,
  code: string,
  now: Date,
): Promise<string[]> {
  const { id, session } = own.member
  return transaction(db, async (tx) => {
    const begun = await tx
      .selectFrom('staff_session')
      .select('totp_sealed')
      .where('id', '=', session.id)
      .forUpdate()
      .executeTakeFirst()
    const sealed = begun?.totp_sealed ?? null
    if (sealed === null) throw new Refusal('wrong_factor')
    const step = await totpStep({ secret: secrets.open(sealed, aboutTotp(id)), code, lastStep: null }, now)
    if (step === null) throw new Refusal('wrong_factor')
    await tx
      .updateTable('staff')
      .set({ totp_sealed: sealed, totp_last_step: step, updated_at: now })
      .where('id', '=', id)
      .execute()
    await tx.updateTable('staff_session').set({ totp_sealed: null }).where('id', '=', session.id).execute()
    await noteOwn(tx, own, { action: 'totp_finish' }, now)
    return newRecoveryCodes(tx, id)
  })
}

/** Removes the authenticator app. Refuses with `last_factor` when no passkey remains. */
export function removeTotp(db: Db, own: Own, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    await lockOwn(tx, own.member)
    if ((await passkeysOf(tx, own.member.id)).length === 0) throw new Refusal('last_factor')
    await tx
      .updateTable('staff')
      .set({ totp_sealed: null, totp_last_step: null, updated_at: now })
      .where('id', '=', own.member.id)
      .execute()
    await noteOwn(tx, own, { action: 'remove_totp' }, now)
  })
}

const lockOwn = (tx: Transaction<DB>, { id }: Member) =>
  tx.selectFrom('staff').select('totp_sealed').where('id', '=', id).forUpdate().executeTakeFirstOrThrow()

/** The options for adding a passkey. */
export async function beginPasskey(
  db: Db,
  { party }: Pick<SignInDeps, 'party'>,
  member: Member,
  now: Date,
): Promise<Record<string, unknown>> {
  const { options, challenge } = await creationOptions(db, party, { staffId: member.id, name: member.name })
  await keepChallenge(db, member, challenge, now)
  return options
}

/** Adds a passkey; new recovery codes replace the old. Refuses with `wrong_factor`. */
export async function finishPasskey(
  db: Db,
  { party }: Pick<SignInDeps, 'party'>,
  own: Own,
  { name, response }: { name: string; response: Record<string, unknown> },
  now: Date,
): Promise<string[]> {
  const { member } = own
  const codes = await transaction(db, async (tx) => {
    const challenge = await takeChallenge(tx, member, now)
    const passkey = challenge === null ? null : await createdPasskey(party, { response, challenge })
    // Nothing is thrown here, so that using up the challenge is committed in any case.
    if (passkey === null || !(await addPasskey(tx, { staffId: member.id, name, passkey }, now))) return null
    await noteOwn(tx, own, { action: 'passkey_finish', after: { name } }, now)
    return newRecoveryCodes(tx, member.id)
  })
  if (codes === null) throw new Refusal('wrong_factor')
  return codes
}

/** Removes a passkey. Refuses with `last_factor`, and with `passkey_not_found`. */
export function removePasskey(db: Db, own: Own, passkeyId: bigint, now: Date): Promise<void> {
  const { member } = own
  return transaction(db, async (tx) => {
    const { totp_sealed: totp } = await lockOwn(tx, member)
    const passkeys = await passkeysOf(tx, member.id)
    const found = passkeys.find(({ id }) => id === passkeyId)
    if (found === undefined) throw new Refusal('passkey_not_found')
    if (totp === null && passkeys.length === 1) throw new Refusal('last_factor')
    await tx.deleteFrom('staff_webauthn_credential').where('id', '=', passkeyId).execute()
    await noteOwn(tx, own, { action: 'remove_passkey', after: { name: found.name } }, now)
  })
}

/** Ten new recovery codes; the old ones end. */
export function renewRecoveryCodes(db: Db, own: Own, now: Date): Promise<string[]> {
  return transaction(db, async (tx) => {
    await noteOwn(tx, own, { action: 'new_recovery_codes' }, now)
    return newRecoveryCodes(tx, own.member.id)
  })
}
