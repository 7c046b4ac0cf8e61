/** Accounts: sign-up, sign-in, sessions and the profile. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { LanguageCode } from '#contract/language'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { checkEmail, checkPassword, checkUsername, nameKey } from './names.ts'
import { hashPassword, passwordMatches } from './password.ts'
import { blockColumns, blockedRefusal } from './blocking.ts'
import { findInviter, newRefCode } from './person.ts'
import type { Origin } from './signin/origin.ts'
import { afterFirstStep, tokenOf } from './signin/step.ts'
import { tellOfSignIn } from './telegram.own.ts'
import {
  accountSubject,
  clearFailures,
  countAttempt,
  nameSubject,
  signinLimits,
  takeBack,
} from './signin/throttle.ts'

export { type SignUpConsent, signUpConsents } from './consent/consent.ts'
export { addressesOf, countInvited, type Person, personOf } from './person.ts'
export { isTestAccount, knownTestAccount, testAccount } from './test.account.ts'
export { noteProofDevice, setTellsOfDevices, sharesDevice, tellsOfDevices } from './signin/device.ts'
export { needOwner, needProof, noteFactor, noteProof, provenUntil } from './signin/proof.ts'
export {
  authenticate,
  closeSession,
  endAllSessions,
  type EndPrograms,
  endSessions,
  forgetExpiredSessions,
  noteInventedVisit,
  openAmong,
  openSession,
  openSessions,
} from './signin/session.ts'
export { type Origin, originOf } from './signin/origin.ts'
export { deviceName } from './signin/user-agent.ts'
export { endStep, stepOf } from './signin/step.ts'
export { type Actor, actorOf, holdOf } from './signin/hold.ts'
export { securityChangedAt, type SecurityChange, tellOfChange } from './signin/tell.ts'
export { tellOfSignIn } from './telegram.own.ts'
export {
  accountById,
  accountCalled,
  accountNumber,
  accountsById,
  type AccountLine,
  searchAccounts,
  setPersPercent,
} from './find.ts'
export { type Block, blockAccount, refuseBlocked, unblockAccount, unblockDue } from './blocking.ts'
export { resendConfirmation, resetSignIn, writeLetter } from './desk.access.ts'
export {
  addNote,
  addTag,
  type CustomerFacts,
  customerFacts,
  notesOf,
  removeNote,
  sessionsOfAccount,
  setTags,
  standingOf,
} from './desk.customer.ts'
export {
  countNew,
  type CustomerFilter,
  type CustomerRow,
  heldAt,
  isByBalance,
  isByMargin,
  listCountries,
  listTags,
  marginsAt,
  noteHeld,
  type Place,
  searchCustomers,
} from './desk.search.ts'
export {
  accountParts,
  askForErasure,
  declineErasure,
  eraseAccount,
  erasureAskedAt,
  lockPerson,
  type Names,
  noteErasureRequest,
  personNames,
  waitingForErasure,
} from './export.and.erase.ts'
export { hasPassword, proveOwner } from './change.ts'
export { checkEmail, checkPassword, nameKey } from './names.ts'
export { hashPassword, passwordMatches } from './password.ts'
export { accountJobs } from './reset.ts'
export {
  accountSubject,
  addressLimits,
  addressNoticeLimits,
  clearAttempts,
  countAttempt,
  downloadLimits,
  forgetOldAttempts,
  type Limit,
  promoLimits,
  refuseAtLimit,
  nameSubject,
  takeBack,
  tokenLimits,
  tryCount,
} from './signin/throttle.ts'
export { forgetOldSignIns, type SignIn, signInsOf, type SignInWay } from './signin/sign.ins.ts'
export { forgetExpiredTokens, issueToken, useToken } from './token.ts'

export interface NewAccount {
  username: string
  email: string
  password: string
  lang: LanguageCode
  /** The referral code of the inviter; an unknown one is ignored. */
  referralCode: string | null
  /** The campaign that led to the sign-up. */
  adminReferralCode: string | null
  /** ISO 3166-1; absent or null: not known. */
  country?: string | null
  /** Default: now, by the database's clock. */
  createdAt?: Date
}

/** A new account. */
export interface MadeAccount {
  id: bigint
  username: string
  email: string
  lang: LanguageCode
}

/**
 * Makes an account and returns its id; `welcome` runs in the same transaction.
 * Refuses with `fill_fields`, `invalid_username`, `username_like_link`, `invalid_email`, `invalid_password`,
 * `password_too_common`, `username_taken`, `email_taken`.
 */
export async function signUp(
  db: Kysely<DB>,
  given: NewAccount,
  welcome?: (tx: Transaction<DB>, account: MadeAccount) => Promise<void>,
): Promise<{ id: bigint; referralKnown: boolean }> {
  const { username, email, password } = checkNew(given)
  // Hashed before the transaction, so that no connection is held during the hash.
  const passwordHash = await hashPassword(password)
  return transaction(db, async (tx) => {
    const inviter = given.referralCode === null ? undefined : await findInviter(tx, given.referralCode)
    const row = await tx
      .insertInto('account')
      .values({
        username,
        username_key: nameKey(username),
        email,
        email_key: nameKey(email),
        password_hash: passwordHash,
        lang: given.lang,
        ref_code: newRefCode(),
        invited_by: inviter?.id ?? null,
        admin_referral_code: given.adminReferralCode,
        sign_up_country: given.country ?? null,
        ...(given.createdAt === undefined ? {} : { created_at: given.createdAt }),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    // The unique keys decide, so that one of two concurrent sign-ups is refused.
    if (row === undefined) throw await takenBy(tx, nameKey(username))
    if (await isKeptForOwner(tx, nameKey(email))) throw new Refusal('email_taken')
    await welcome?.(tx, { id: row.id, username, email, lang: given.lang })
    return { id: row.id, referralKnown: given.referralCode === null || inviter !== undefined }
  })
}

/** The rules of a new account that need no database: see signUp for the refusals. */
export function checkNew(given: Pick<NewAccount, 'username' | 'email' | 'password'>) {
  if ([given.username, given.email, given.password].some((field) => field.trim() === '')) {
    throw new Refusal('fill_fields')
  }
  return {
    username: checkUsername(given.username),
    email: checkEmail(given.email),
    password: checkPassword(given.password),
  }
}

/** Whether the owner of another account can still reclaim this address. */
async function isKeptForOwner(tx: Kysely<DB>, emailKey: string): Promise<boolean> {
  const row = await tx
    .selectFrom('email_change')
    .select('id')
    .where('old_email_key', '=', emailKey)
    .where('undo_by', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row !== undefined
}

async function takenBy(db: Kysely<DB>, usernameKey: string): Promise<Refusal> {
  const same = await db
    .selectFrom('account')
    .select('id')
    .where('username_key', '=', usernameKey)
    .executeTakeFirst()
  return new Refusal(same === undefined ? 'email_taken' : 'username_taken')
}

/**
 * Signs in by user name or e-mail and returns a session token; the owner is notified in Telegram, if linked.
 * Refuses with `invalid_credentials` (unknown and wrong alike, in the same time) and `too_many_attempts`, and
 * where the account has second factors with `second_factor_needed`, which carries the ticket of the second
 * step.
 */
export async function signIn(
  db: Kysely<DB>,
  given: { login: string; password: string; ip: string } & Partial<Origin>,
  now: Date,
): Promise<string> {
  const key = nameKey(given.login)
  const account = await db
    .selectFrom('account')
    .select(['id', 'password_hash'])
    .where(key.includes('@') ? 'email_key' : 'username_key', '=', key)
    .executeTakeFirst()
  const subject = account === undefined ? nameSubject(key) : accountSubject(account.id)
  const counted = await countAttempt(db, signinLimits(subject, given.ip), now)
  if (!(await passwordMatches(account?.password_hash ?? null, given.password)) || account === undefined) {
    throw new Refusal('invalid_credentials')
  }
  const { ip, userAgent = null, country = null, devices = [], keepDevice = () => undefined } = given
  const step = await transaction(db, async (tx) => {
    await takeBack(tx, counted)
    // Locked until the session exists: a concurrent change of the password must end this session too.
    const current = await tx
      .selectFrom('account')
      .select(['password_hash', 'blocked_at', ...blockColumns])
      .where('id', '=', account.id)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (current.password_hash !== account.password_hash) throw new Refusal('invalid_credentials')
    if (current.blocked_at !== null) throw blockedRefusal(current)
    await clearFailures(tx, account.id)
    const origin = { ip, userAgent, country, devices, keepDevice }
    const opened = await afterFirstStep(tx, { accountId: account.id, way: 'password', origin }, now)
    if ('token' in opened) await tellOfSignIn(tx, { accountId: account.id, ip }, now)
    return opened
  })
  return tokenOf(step)
}

/** The account with this name, for the command line; null when there is none. */
export async function findAccount(db: Kysely<DB>, name: string): Promise<{ id: bigint } | null> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('username_key', '=', nameKey(name))
    .executeTakeFirst()
  return row ?? null
}
