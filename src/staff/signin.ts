/** Signing in to the desk: a password, then a second factor; and proving the factor again later. */
import type { Kysely, Transaction } from 'kysely'
import { clearAttempts, countAttempt, type Limit, nameKey, passwordMatches, takeBack } from '#accounts'
import { type DB, transaction } from '#db'
import { type RelyingParty, totpStep } from '#second-factors'
import { neighbourhoodOf, networkOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { type Secrets, sha256 } from '#lib/secret'
import { type Author, record } from './audit.ts'
import type { Member } from './call.ts'
import { passkeysOf, provesPasskey } from './passkey.ts'
import { recoveryCodesLeft, spendRecoveryCode } from './recovery.ts'
import { openSession, renewSession } from './session.ts'
import { aboutTotp } from './totp.ts'

/** The settings that sign-in depends on. */
export interface SignInDeps {
  secrets: Secrets
  party: RelyingParty
  /** A demo: a member without a second factor may sign in. */
  isDemo: boolean
}

/** Where a request comes from. */
export interface Arrival {
  ip: string
  userAgent: string | null
  requestId: string
}

/** The throttle key of sign-in attempts for a member from one neighbourhood (a /24, a /48). */
const tried = (subject: string, ip: string) => `${subject} from ${neighbourhoodOf(ip)}`

/**
 * Ten wrong passwords for a member from one neighbourhood, so that a stranger elsewhere cannot lock the
 * member out; fifty from an address. Unknown names count too.
 */
const passwordLimits = (subject: string, ip: string): Limit[] => [
  { kind: 'staff_password', subject: tried(subject, ip), max: 10, windowMinutes: 15 },
  { kind: 'staff_password_ip', subject: networkOf(ip), max: 50, windowMinutes: 15 },
]

/**
 * Wrong second factors of a member, of all kinds together. Someone who knows the password guesses a code of
 * six digits in a day with a probability of 1 in 10,000.
 */
const factorLimits = (staffId: bigint): Limit[] => [
  { kind: 'staff_factor', subject: `staff ${staffId}`, max: 10, windowMinutes: 15 },
  { kind: 'staff_factor_day', subject: `staff ${staffId}`, max: 50, windowMinutes: 24 * 60 },
]

const authorOf = (staff: { id: bigint; name: string }, { ip, requestId }: Arrival): Author => ({
  kind: 'staff',
  staffId: staff.id,
  name: staff.name,
  ip,
  requestId,
})

/** The member of staff with this name who has used their link and is not blocked. */
const memberCalled = (db: Kysely<DB>, name: string) =>
  db
    .selectFrom('staff')
    .select(['id', 'name', 'password_hash', 'blocked_at'])
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst()

/**
 * Judges a password and opens a session, whose second factor is still missing; in a demo a member who has
 * none is signed in at once. Refuses with `invalid_credentials` (unknown, blocked and wrong alike, in the
 * same time) and `too_many_attempts`.
 */
export async function signIn(
  db: Kysely<DB>,
  { isDemo }: Pick<SignInDeps, 'isDemo'>,
  given: { name: string; password: string },
  arrival: Arrival,
  now: Date,
): Promise<string> {
  const staff = await memberCalled(db, given.name)
  const subject =
    staff === undefined ? `name ${sha256(nameKey(given.name)).toString('hex')}` : `staff ${staff.id}`
  const counted = await countAttempt(db, passwordLimits(subject, arrival.ip), now)
  const isRight = await passwordMatches(staff?.password_hash ?? null, given.password)
  if (staff === undefined || !isRight || staff.blocked_at !== null) {
    if (staff !== undefined) await noteRefused(db, staff, 'sign_in', arrival, now)
    throw new Refusal('invalid_credentials')
  }
  return transaction(db, async (tx) => {
    await takeBack(tx, counted)
    // Locked until the session exists: a concurrent change of the password or a block must end this session
    // too.
    const current = await tx
      .selectFrom('staff')
      .select(['password_hash', 'blocked_at'])
      .where('id', '=', staff.id)
      .forShare()
      .executeTakeFirstOrThrow()
    if (current.password_hash !== staff.password_hash || current.blocked_at !== null)
      throw new Refusal('invalid_credentials')
    await clearAttempts(tx, ['staff_password'], tried(subject, arrival.ip))
    // Outside of a demo a person gets a password only together with a factor.
    const isComplete = isDemo && (await factorsOf(tx, staff.id)).length === 0
    const entry = { action: 'sign_in', subject: { kind: 'staff', id: String(staff.id) } } as const
    await record(tx, authorOf(staff, arrival), { ...entry, after: { complete: isComplete } }, now)
    const { ip, userAgent } = arrival
    return openSession(tx, { staffId: staff.id, isComplete, withFactor: false, ip, userAgent }, now)
  })
}

export type Factor = 'passkey' | 'totp' | 'recovery_code'

/** The second factors that the member has. */
export async function factorsOf(db: Kysely<DB>, staffId: bigint): Promise<Factor[]> {
  const { totp_sealed: totp } = await db
    .selectFrom('staff')
    .select('totp_sealed')
    .where('id', '=', staffId)
    .executeTakeFirstOrThrow()
  return [
    ...((await passkeysOf(db, staffId)).length > 0 ? (['passkey'] as const) : []),
    ...(totp === null ? [] : (['totp'] as const)),
    ...((await recoveryCodesLeft(db, staffId)) > 0 ? (['recovery_code'] as const) : []),
  ]
}

/** A refused attempt to be a known member. The throttle bounds their number. */
async function noteRefused(
  db: Kysely<DB>,
  staff: { id: bigint },
  action: string,
  { ip, requestId }: Arrival,
  now: Date,
): Promise<void> {
  const author: Author = { kind: 'anonymous', staffId: null, name: '', ip, requestId }
  await transaction(db, (tx) =>
    record(
      tx,
      author,
      { action, subject: { kind: 'staff', id: String(staff.id) }, after: { refused: true } },
      now,
    ),
  )
}

export type Proof =
  | { kind: 'totp'; code: string }
  | { kind: 'recovery_code'; code: string }
  | { kind: 'passkey'; response: Record<string, unknown> }

/**
 * Judges a second factor: completes a sign-in, or opens the calls that need a fresh factor. Returns the
 * session's new token. Refuses with `wrong_factor` and `too_many_attempts`.
 */
export async function confirm(
  db: Kysely<DB>,
  deps: SignInDeps,
  { member, proof }: { member: Member; proof: Proof },
  arrival: Arrival,
  now: Date,
): Promise<string> {
  const counted = await countAttempt(db, factorLimits(member.id), now)
  const action = `confirm_${proof.kind}`
  const token = await transaction(db, async (tx) => {
    if (!(await proves(tx, deps, { member, proof }, now))) return null
    await takeBack(tx, counted)
    await clearAttempts(tx, ['staff_factor'], `staff ${member.id}`)
    const entry = { action, subject: { kind: 'staff', id: String(member.id) } } as const
    await record(tx, authorOf(member, arrival), entry, now)
    return renewSession(tx, member, now)
  })
  if (token !== null) return token
  await noteRefused(db, member, action, arrival, now)
  throw new Refusal('wrong_factor')
}

/**
 * Whether the proof is valid; single-use proofs are used up. The member is locked, so that proofs are checked
 * one at a time.
 */
async function proves(
  tx: Transaction<DB>,
  { secrets, party }: SignInDeps,
  { member, proof }: { member: Member; proof: Proof },
  now: Date,
): Promise<boolean> {
  const staff = await tx
    .selectFrom('staff')
    .select(['totp_sealed', 'totp_last_step', 'blocked_at'])
    .where('id', '=', member.id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (staff.blocked_at !== null) return false
  if (proof.kind === 'recovery_code')
    return spendRecoveryCode(tx, { staffId: member.id, code: proof.code }, now)
  if (proof.kind === 'passkey') {
    const challenge = await takeChallenge(tx, member, now)
    const { response } = proof
    return challenge !== null && provesPasskey(tx, party, { staffId: member.id, response, challenge }, now)
  }
  if (staff.totp_sealed === null) return false
  const secret = secrets.open(staff.totp_sealed, aboutTotp(member.id))
  const step = await totpStep({ secret, code: proof.code, lastStep: staff.totp_last_step }, now)
  if (step === null) return false
  await tx.updateTable('staff').set({ totp_last_step: step }).where('id', '=', member.id).execute()
  return true
}

const challengeMs = 5 * 60_000

/** Stores the challenge that a session's browser was given. */
export async function keepChallenge(
  db: Kysely<DB>,
  { session }: Member,
  challenge: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable('staff_session')
    .set({ challenge, challenge_at: now })
    .where('id', '=', session.id)
    .execute()
}

/** Uses up the challenge of a session; null: there is none, or it is older than five minutes. */
export async function takeChallenge(
  tx: Transaction<DB>,
  { session }: Member,
  now: Date,
): Promise<string | null> {
  const row = await tx
    .selectFrom('staff_session')
    .select(['challenge', 'challenge_at'])
    .where('id', '=', session.id)
    .forUpdate()
    .executeTakeFirst()
  if (row?.challenge == null || row.challenge_at === null) return null
  await tx.updateTable('staff_session').set({ challenge: null }).where('id', '=', session.id).execute()
  const ageMs = now.getTime() - row.challenge_at.getTime()
  return ageMs >= 0 && ageMs < challengeMs ? row.challenge : null
}

/**
 * Judges the password again, in a demo for a member without a second factor. Refuses as `confirm` does, and
 * with `wrong_factor` for a member who has one.
 */
export async function confirmPassword(
  db: Kysely<DB>,
  { isDemo }: Pick<SignInDeps, 'isDemo'>,
  { member, password }: { member: Member; password: string },
  arrival: Arrival,
  now: Date,
): Promise<string> {
  const counted = await countAttempt(db, factorLimits(member.id), now)
  const staff = await db
    .selectFrom('staff')
    .select('password_hash')
    .where('id', '=', member.id)
    .executeTakeFirstOrThrow()
  const isRight = await passwordMatches(staff.password_hash, password)
  const hasFactor = (await factorsOf(db, member.id)).length > 0
  if (!isDemo || hasFactor || !isRight) {
    await noteRefused(db, member, 'confirm_password', arrival, now)
    throw new Refusal('wrong_factor')
  }
  const token = await transaction(db, async (tx) => {
    await takeBack(tx, counted)
    const entry = { action: 'confirm_password', subject: { kind: 'staff', id: String(member.id) } } as const
    await record(tx, authorOf(member, arrival), entry, now)
    return renewSession(tx, member, now)
  })
  if (token === null) throw new Refusal('unauthorized')
  return token
}
