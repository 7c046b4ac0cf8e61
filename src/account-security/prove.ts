/** Verifies a second factor, for a sign-in and for actions that only the recently proved owner may take. */
import type { Kysely, Transaction } from 'kysely'
import {
  accountSubject,
  clearAttempts,
  countAttempt,
  noteFactor,
  noteProof,
  noteProofDevice,
  type Origin,
  proveOwner,
  takeBack,
  tellOfChange,
} from '#accounts'
import { type DB, transaction } from '#db'
import { accountFactors, type FactorDeps, type Proof, provesFactor } from '#second-factors'
import { Refusal } from '#lib/refusal'
import { addressLimits, clearedKinds, codeLimits } from './limits.ts'

/** The purpose of the passkey challenge that proves the owner of this session. */
export const provingFor = (tokenSha256: Buffer): string => `prove:${tokenSha256.toString('hex')}`

interface Judged {
  accountId: bigint
  proof: Proof
  /** The purpose for which the passkey's challenge was issued. */
  purpose: string
  ip: string
}

/**
 * Verifies a factor, and runs `proved` in the transaction that uses the factor up. Notifies the owner of a
 * used recovery code. Refuses with `wrong_factor` and `too_many_attempts`.
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
    // Returns null instead of throwing, so that the transaction commits and the challenge is used up.
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
 * Proves the owner of a session for the next ten minutes. An account with second factors needs one of them.
 * Refuses with `wrong_factor`, `wrong_password`, `fill_fields`, `too_many_attempts`, `proof_needed` (the
 * account has second factors, so the password is not enough) and `sign_in_again` (an account without a
 * password, whose session is older than ten minutes).
 */
export async function proveSession(
  db: Kysely<DB>,
  deps: FactorDeps,
  given: { accountId: bigint; tokenSha256: Buffer; proof: OwnerProof; origin: Origin },
  now: Date,
): Promise<void> {
  const { accountId, tokenSha256, proof, origin } = given
  if (proof.kind === 'password') {
    // Also while a factor's proof is valid: the password would extend it without end.
    if ((await accountFactors(db, accountId)).length > 0) throw new Refusal('proof_needed')
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
