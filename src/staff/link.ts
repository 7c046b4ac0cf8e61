/**
 * The link at which a person sets a password and a second factor. Both are stored together, and the link is
 * used up with them: there is no member of staff with a password and without a factor.
 */
import type { Kysely, Transaction } from 'kysely'
import { checkPassword, countAttempt, hashPassword, takeBack } from '#accounts'
import type { Role } from '#contract/desk/roles'
import { type DB, transaction } from '#db'
import { createdPasskey, newTotp, totpStep } from '#second-factors'
import { networkOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { sha256 } from '#lib/secret'
import { record } from './audit.ts'
import { addPasskey, creationOptions } from './passkey.ts'
import { newRecoveryCodes } from './recovery.ts'
import { openSession } from './session.ts'
import type { Arrival, SignInDeps } from './signin.ts'
import { aboutTotp } from './totp.ts'

/** Wrong links. They are too long to guess; the limit reduces lookups in the database. */
const linkLimits = (ip: string) => [
  { kind: 'staff_link_ip', subject: networkOf(ip), max: 30, windowMinutes: 15 },
]

async function linkOf(db: Kysely<DB>, token: string, now: Date, lock = false) {
  const query = db
    .selectFrom('staff_link')
    .innerJoin('staff', 'staff.id', 'staff_link.staff_id')
    .select([
      'staff.id as staffId',
      'staff.name',
      'staff.role',
      'staff_link.expires_at as expiresAt',
      'staff_link.challenge',
      'staff_link.totp_sealed as totpSealed',
    ])
    .where('staff_link.token_sha256', '=', sha256(token))
    .where('staff_link.expires_at', '>', now)
    .where('staff.blocked_at', 'is', null)
  return (lock ? query.forUpdate() : query).executeTakeFirst()
}

/**
 * What a person needs to set up their sign-in: a TOTP secret and the options of a passkey. Refuses with
 * `link_invalid`.
 */
export async function beginJoining(
  db: Kysely<DB>,
  { secrets, party }: Pick<SignInDeps, 'secrets' | 'party'>,
  { token, ip }: { token: string; ip: string },
  now: Date,
) {
  const counted = await countAttempt(db, linkLimits(ip), now)
  const link = await linkOf(db, token, now)
  if (link === undefined) throw new Refusal('link_invalid')
  await takeBack(db, counted)
  const { staffId, name, role, expiresAt } = link
  const totp = newTotp(secrets, { about: aboutTotp(staffId), name, issuer: party.name })
  const passkey = await creationOptions(db, party, { staffId, name })
  await db
    .updateTable('staff_link')
    .set({ challenge: passkey.challenge, totp_sealed: totp.sealed })
    .where('token_sha256', '=', sha256(token))
    .execute()
  return { name, role: role as Role, expiresAt, totp, passkey: passkey.options }
}

export type FirstFactor =
  | { kind: 'totp'; code: string }
  | { kind: 'passkey'; name: string; response: Record<string, unknown> }

/**
 * Stores the password and the factor, uses up the link and signs the person in. Refuses with `link_invalid`,
 * `invalid_password`, `password_too_common`, `wrong_factor`.
 */
export async function finishJoining(
  db: Kysely<DB>,
  deps: SignInDeps,
  given: { token: string; password: string; factor: FirstFactor },
  arrival: Arrival,
  now: Date,
): Promise<{ token: string; recoveryCodes: string[] }> {
  const counted = await countAttempt(db, linkLimits(arrival.ip), now)
  const passwordHash = await hashPassword(checkPassword(given.password))
  return transaction(db, async (tx) => {
    const link = await linkOf(tx, given.token, now, true)
    if (link === undefined) throw new Refusal('link_invalid')
    const { staffId, name } = link
    const factor = await firstFactor(tx, deps, { link, factor: given.factor }, now)
    await takeBack(tx, counted)
    await tx
      .updateTable('staff')
      .set({ password_hash: passwordHash, ...factor, updated_at: now })
      .where('id', '=', staffId)
      .execute()
    await tx.deleteFrom('staff_link').where('staff_id', '=', staffId).execute()
    const recoveryCodes = await newRecoveryCodes(tx, staffId)
    const { ip, userAgent, requestId } = arrival
    const author = { kind: 'staff', staffId, name, ip, requestId } as const
    const after = { factor: given.factor.kind }
    const subject = { kind: 'staff', id: String(staffId) } as const
    await record(tx, author, { action: 'join_finish', subject, after }, now)
    const token = await openSession(tx, { staffId, isComplete: true, withFactor: true, ip, userAgent }, now)
    return { token, recoveryCodes }
  })
}

async function firstFactor(
  tx: Transaction<DB>,
  { secrets, party }: SignInDeps,
  { link, factor }: { link: NonNullable<Awaited<ReturnType<typeof linkOf>>>; factor: FirstFactor },
  now: Date,
) {
  const { staffId, challenge, totpSealed } = link
  if (factor.kind === 'totp') {
    if (totpSealed === null) throw new Refusal('wrong_factor')
    const secret = secrets.open(totpSealed, aboutTotp(staffId))
    const step = await totpStep({ secret, code: factor.code, lastStep: null }, now)
    if (step === null) throw new Refusal('wrong_factor')
    return { totp_sealed: totpSealed, totp_last_step: step }
  }
  const { response, name } = factor
  const passkey = challenge === null ? null : await createdPasskey(party, { response, challenge })
  if (passkey === null || !(await addPasskey(tx, { staffId, name, passkey }, now)))
    throw new Refusal('wrong_factor')
  return {}
}
