/**
 * Limits on guessing: attempts within a sliding window, counted in the database for all API processes.
 * Attempts can be taken back, so each is a row, unlike the buckets of `src/http/admission/pace.ts` (one
 * process, in memory) and `src/reseller/pace.ts` (all processes, one row for an account).
 *
 * An attempt is counted before it is judged and taken back when it was right. If it were counted afterwards,
 * a hundred concurrent guesses would all pass the check.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, lockName, transaction } from '#db'
import { neighbourhoodOf, networkOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { sha256 } from '#lib/secret'

export interface Limit {
  kind: string
  subject: string
  /** Attempts within the window; further ones are refused. */
  max: number
  windowMinutes: number
}

/** Attempts that have been counted, to be taken back when they are right. */
export type AttemptIds = bigint[]

/**
 * Ten failures per account, fifty per address. Unknown names count too, so that they cannot be told apart.
 */
export function signinLimits(subject: string, ip: string): Limit[] {
  return [
    { kind: 'signin_account', subject, max: 10, windowMinutes: 15 },
    { kind: 'signin_ip', subject: networkOf(ip), max: 50, windowMinutes: 15 },
  ]
}

/** Wrong current passwords from the holder of a session. */
export const passwordLimits = (accountId: bigint): Limit[] => [
  { kind: 'password_account', subject: accountSubject(accountId), max: 10, windowMinutes: 15 },
]

/** Downloads of a customer's data, which are expensive. */
export const downloadLimits = (accountId: bigint): Limit[] => [
  { kind: 'download_account', subject: accountSubject(accountId), max: 5, windowMinutes: 24 * 60 },
]

/** Sign-ups from one address: enough for an office behind it, too few for mass sign-ups. */
export const signupLimits = (ip: string): Limit[] => [
  { kind: 'signup_ip', subject: networkOf(ip), max: 30, windowMinutes: 60 },
]

/** Changes of the sign-in that their maker may repeat at will: each queues a letter and a message. */
export const changeLimits = (accountId: bigint): Limit[] => [
  { kind: 'security_change', subject: accountSubject(accountId), max: 30, windowMinutes: 60 },
]

/** Letters about changes to an address that nobody has confirmed: it may be a stranger's. */
export const strangerLimits = (accountId: bigint): Limit[] => [
  { kind: 'security_letter', subject: accountSubject(accountId), max: 5, windowMinutes: 60 },
]

/** Notices of new passwords; after so many of them the owner knows. */
export const newPasswordLimits = (accountId: bigint): Limit[] => [
  { kind: 'password_notice', subject: accountSubject(accountId), max: 10, windowMinutes: 60 },
]

/** Wrong tokens of letters. They are too long to guess; the limit reduces lookups in the database. */
export const tokenLimits = (ip: string): Limit[] => [
  { kind: 'token_ip', subject: networkOf(ip), max: 30, windowMinutes: 15 },
]

/** Letters requested from one address. */
export const resetLimits = (ip: string): Limit[] => [
  { kind: 'reset_ip', subject: networkOf(ip), max: 10, windowMinutes: 60 },
]

/** Letters to one mailbox, requested from any address. */
export const mailboxLimits = (emailKey: string): Limit[] => [
  { kind: 'reset_mailbox', subject: nameSubject(emailKey), max: 3, windowMinutes: 60 },
]

/** Wrong six-digit codes of the bot, and all attempts, from one address; wrong ones from its neighbours. */
export const telegramCodeLimits = (ip: string): [tries: Limit, guesses: Limit] => [
  { kind: 'telegram_code', subject: networkOf(ip), max: 5, windowMinutes: 1 },
  { kind: 'telegram_code_nearby', subject: neighbourhoodOf(ip), max: 25, windowMinutes: 1 },
]

/**
 * Wrong digits of the bot from anywhere, within the five-minute lifetime of a code: 300 together, so that an
 * attacker with thousands of addresses hits a given code with a probability of about 1 in 3000. An attacker
 * can use up these guesses, but cannot invalidate a code. The first wrong guess of a neighbourhood in a day
 * is counted separately from later ones: to keep others from signing in, an attacker needs forty new
 * neighbourhoods a minute.
 */
export const telegramCodeFirst = (ip: string): Limit[] => [
  { kind: 'telegram_code_first', subject: neighbourhoodOf(ip), max: 1, windowMinutes: 24 * 60 },
  { kind: 'telegram_code_anywhere', subject: 'first', max: 200, windowMinutes: 5 },
]
export const telegramCodeAgain: Limit[] = [
  { kind: 'telegram_code_anywhere', subject: 'again', max: 100, windowMinutes: 5 },
]

/** Unknown promo codes. The page checks a code while it is typed, letter by letter, so the bound is high. */
export const promoLimits = (accountId: bigint, ip: string): Limit[] => [
  { kind: 'promo_account', subject: accountSubject(accountId), max: 60, windowMinutes: 15 },
  { kind: 'promo_ip', subject: networkOf(ip), max: 300, windowMinutes: 15 },
]

/** Attempts to list addresses that another customer has proven. */
export const addressLimits = (accountId: bigint): Limit[] => [
  { kind: 'address_taken', subject: accountSubject(accountId), max: 20, windowMinutes: 24 * 60 },
]

/** Notices to the customer whose address another has proven, which two accounts of one person could cause. */
export const addressNoticeLimits = (accountId: bigint): Limit[] => [
  { kind: 'address_notice', subject: accountSubject(accountId), max: 10, windowMinutes: 24 * 60 },
]

/** An account under any of its names: its name and its e-mail share one count. */
export const accountSubject = (id: bigint): string => `account ${id}`

/** A name without an account; hashed, since a name may be longer than an index entry. */
export const nameSubject = (key: string): string => `name ${sha256(key).toString('base64url')}`

/** Counts an attempt, or refuses with `too_many_attempts` when one of the limits is reached. */
export async function countAttempt(db: Kysely<DB>, limits: Limit[], now: Date): Promise<AttemptIds> {
  const answer = await tryCount(db, limits, now)
  if ('counted' in answer) return answer.counted
  throw tooMany(answer.waitSeconds)
}

const tooMany = (waitSeconds: number) =>
  new Refusal('too_many_attempts', { minutes: Math.ceil(waitSeconds / 60) }, waitSeconds)

/** Refuses with `too_many_attempts` when one of the limits is reached; counts nothing. */
export async function refuseAtLimit(db: Kysely<DB>, limits: Limit[], now: Date): Promise<void> {
  const waits = await Promise.all(limits.map((limit) => waitSeconds(db, limit, now)))
  const longest = Math.max(...waits)
  if (longest > 0) throw tooMany(longest)
}

/** Counts an attempt in its own transaction, unless one of the limits is reached: then returns the wait. */
export function tryCount(
  db: Kysely<DB>,
  limits: Limit[],
  now: Date,
): Promise<{ counted: AttemptIds } | { waitSeconds: number }> {
  return transaction(db, async (tx) => {
    for (const { kind, subject } of limits) {
      // Of concurrent attempts on the same counter, each sees the ones that others counted.
      await lockName(tx, `${kind} ${subject}`)
      // A time recorded before the clock was set back is treated as now at the latest, so that it expires
      // like the others.
      await sql`
        update attempt set at = ${now} where kind = ${kind} and subject = ${subject} and at > ${now}`.execute(
        tx,
      )
    }
    const waits = await Promise.all(limits.map((limit) => waitSeconds(tx, limit, now)))
    const longest = Math.max(...waits)
    if (longest > 0) return { waitSeconds: longest }
    const rows = await tx
      .insertInto('attempt')
      .values(limits.map(({ kind, subject }) => ({ kind, subject, at: now })))
      .returning('id')
      .execute()
    return { counted: rows.map(({ id }) => id) }
  })
}

/** The time until the limit admits one more; 0: now. */
async function waitSeconds(db: Kysely<DB>, limit: Limit, now: Date): Promise<number> {
  const since = new Date(now.getTime() - limit.windowMinutes * 60_000)
  const { rows } = await sql<{ count: bigint; oldest: Date | null }>`
    select count(*) as count, min(at) as oldest from (
      select at from attempt
      where kind = ${limit.kind} and subject = ${limit.subject} and at > ${since}
      order by at desc limit ${limit.max}
    ) latest`.execute(db)
  const [row] = rows
  if (row === undefined || row.oldest === null || row.count < BigInt(limit.max)) return 0
  return Math.max(1, Math.ceil((row.oldest.getTime() - since.getTime()) / 1000))
}

/** Takes back attempts that were right. */
export async function takeBack(db: Kysely<DB>, counted: AttemptIds): Promise<void> {
  await db.deleteFrom('attempt').where('id', 'in', counted).execute()
}

/**
 * A right password clears the account's count, but of the address's count only this one attempt: owning one
 * account must not allow an address further guesses.
 */
export function clearFailures(db: Kysely<DB>, accountId: bigint): Promise<void> {
  return clearAttempts(db, ['signin_account', 'password_account'], accountSubject(accountId))
}

/** Clears the counts of a subject. */
export async function clearAttempts(db: Kysely<DB>, kinds: string[], subject: string): Promise<void> {
  await db.deleteFrom('attempt').where('kind', 'in', kinds).where('subject', '=', subject).execute()
}

/** Deletes attempts that are older than every window. */
export async function forgetOldAttempts(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('attempt')
    .where('at', '<', new Date(now.getTime() - 24 * 60 * 60_000))
    .execute()
}
