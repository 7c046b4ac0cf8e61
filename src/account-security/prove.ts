/** Judging a second factor, for a sign-in and for what only the recently proved owner may do. */
import type { Kysely, Transaction } from 'kysely'
import {
  accountSubject,
  clearAttempts,
  countAttempt,
  noteFactor,
  noteProof,
  noteProofDevice,
  type Origin,
  needProof,
  proveOwner,
  takeBack,
  tellOfChange,
} from '#accounts'
import { type DB, transaction } from '#db'
import { type FactorDeps, type Proof, provesFactor } from '#second-factors'
import { Refusal } from '#lib/refusal'
import { addressLimits, clearedKinds, codeLimits } from './limits.ts'

/** What the challenge of a session's passkey is for. */
export const provingFor = (tokenSha256: Buffer): string => `prove:${tokenSha256.toString('hex')}`

interface Judged {
  accountId: bigint
  proof: Proof
  /** What the passkey's challenge was made for. */
  purpose: string
  ip: string
}

/**
 * Judges a factor, and runs `proved` in the transaction that uses it up. The owner is told when it is a
 * recovery code. Refuses with `wrong_factor` and `too_many_attempts`.
 */
export async function judge<T>(
  db: Kysely<DB>,
  deps: FactorDeps,
  given: Judged,
  now: Date,
  proved: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  const { accountId, proof, ip } = given
  const limits = proof.kind === 'passkey' ? addressLimits(ip) : codeLimits(accountId, ip)
  const counted = await countAttempt(db, limits, now)
  const done = await transaction(db, async (tx) => {
    // Nothing is thrown for a wrong one: its challenge is used up.
    if (!(await provesFactor(tx, deps, given, now))) return null
    await takeBack(tx, counted)
    await clearAttempts(tx, clearedKinds, accountSubject(accountId))
    if (proof.kind === 'recovery_code')
      await tellOfChange(tx, accountId, { event: 'recovery_code_used', ip }, now)
    return { answer: await proved(tx) }
  })
  if (done === null) throw new Refusal('wrong_factor')
  return done.answer
}

/** A proof of the owner: a factor, or the password of an account without one. */
export type OwnerProof = Proof | { kind: 'password'; password: string }

/**
 * Proves the owner of a session; what needs the proof is open for ten minutes. An account with second factors
 * needs one of them. Refuses with `wrong_factor`, `wrong_password`, `fill_fields`, `too_many_attempts`,
 * `proof_needed` (the password does not do) and `sign_in_again` (an account without a password, whose session
 * is older than ten minutes).
 */
export async function proveSession(
  db: Kysely<DB>,
  deps: FactorDeps,
  given: { accountId: bigint; tokenSha256: Buffer; proof: OwnerProof; origin: Origin },
  now: Date,
): Promise<void> {
  const { accountId, tokenSha256, proof, origin } = given
  if (proof.kind === 'password') {
    await needProof(db, 'with a second factor', { accountId, tokenSha256 }, now)
    await proveOwner(db, { accountId, tokenSha256, password: proof.password }, now)
    await transaction(db, async (tx) => {
      await noteProof(tx, tokenSha256, now)
      await noteProofDevice(tx, given, now)
    })
    return
  }
  const purpose = provingFor(tokenSha256)
  await judge(db, deps, { accountId, proof, purpose, ip: origin.ip }, now, async (tx) => {
    await noteFactor(tx, tokenSha256, now)
    await noteProofDevice(tx, given, now)
  })
}
