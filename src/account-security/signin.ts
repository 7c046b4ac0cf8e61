/** The second step of a sign-in, and signing in by a passkey alone, which is two factors by itself. */
import type { Kysely, Transaction } from 'kysely'
import {
  countAttempt,
  endStep,
  openSession,
  type Origin,
  refuseBlocked,
  type SignInWay,
  stepOf,
  takeBack,
  tellOfSignIn,
} from '#accounts'
import { type DB, transaction } from '#db'
import {
  accountPasskeys,
  type FactorDeps,
  type Json,
  lockFactors,
  newChallenge,
  ownerOfPasskey,
  type Proof,
  provesPasskey,
  requestOptions,
} from '#second-factors'
import { Refusal } from '#lib/refusal'
import { sha256 } from '#lib/secret'
import { addressLimits } from './limits.ts'
import { judge } from './prove.ts'

const alone = 'sign-in'
const stepFor = (ticket: string) => `step:${sha256(ticket).toString('hex')}`

const ticketOwner = async (db: Kysely<DB>, ticket: string, now: Date) => {
  const step = await transaction(db, (tx) => stepOf(tx, ticket, now))
  if (step === null) throw new Refusal('sign_in_step_ended')
  return step
}

/**
 * The options for a passkey. With the ticket of a first step they allow the passkeys of its account, without
 * a ticket any passkey that the browser has for this site. Stores nothing. Refuses with `sign_in_step_ended`.
 */
export async function signInOptions(
  db: Kysely<DB>,
  { secrets, party }: FactorDeps,
  ticket: string | null,
  now: Date,
): Promise<Json> {
  const purpose = ticket === null ? alone : stepFor(ticket)
  const known =
    ticket === null ? [] : await accountPasskeys(db, (await ticketOwner(db, ticket, now)).accountId)
  const challenge = newChallenge(secrets, purpose, now)
  return (await requestOptions(party, { known, challenge })).options
}

/**
 * Finishes a sign-in and returns the session's token. Refuses with `sign_in_step_ended` (the ticket is
 * unknown, was used, is older than five minutes, or the password was changed meanwhile), `wrong_factor`,
 * `too_many_attempts` and `account_blocked`.
 */
export async function finishSignIn(
  db: Kysely<DB>,
  deps: FactorDeps,
  { ticket, proof, origin }: { ticket: string; proof: Proof; origin: Origin },
  now: Date,
): Promise<string> {
  const { accountId } = await ticketOwner(db, ticket, now)
  const { ip } = origin
  return judge(db, deps, { accountId, proof, purpose: stepFor(ticket), ip }, now, async (tx) => {
    const step = await stepOf(tx, ticket, now, { lock: true })
    if (step === null || !(await endStep(tx, ticket))) throw new Refusal('sign_in_step_ended')
    return open(tx, { accountId, origin, way: step.way }, now)
  })
}

/**
 * Signs in by a passkey alone and returns the session's token. Refuses with `wrong_factor` (the same for a
 * passkey that is unknown, removed, or of another site), `too_many_attempts` and `account_blocked`.
 */
export async function signInByPasskey(
  db: Kysely<DB>,
  deps: FactorDeps,
  { response, origin }: { response: Json; origin: Origin },
  now: Date,
): Promise<string> {
  const counted = await countAttempt(db, addressLimits(origin.ip), now)
  const token = await transaction(db, async (tx) => {
    const owner = await ownerOfPasskey(tx, response)
    // Locked before the passkey, as every other proof does.
    if (owner !== null) await lockFactors(tx, owner)
    const accountId = await provesPasskey(tx, deps, { response, purpose: alone }, now)
    if (accountId === null) return null
    await takeBack(tx, counted)
    return open(tx, { accountId, origin, way: 'passkey' }, now)
  })
  if (token === null) throw new Refusal('wrong_factor')
  return token
}

async function open(
  tx: Transaction<DB>,
  { accountId, origin, way }: { accountId: bigint; origin: Origin; way: SignInWay },
  now: Date,
): Promise<string> {
  await refuseBlocked(tx, accountId)
  // A person who signs in with a code of the bot is already in Telegram.
  if (way !== 'telegram') await tellOfSignIn(tx, { accountId, ip: origin.ip }, now)
  return openSession(tx, { accountId, origin, way, withFactor: true }, now)
}
