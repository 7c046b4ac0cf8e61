/**
 * What slows a guesser down: attempts within a sliding window, counted in the database for all api processes.
 *
 * An attempt is counted before it is judged and taken back when it was right. Counted afterwards, a hundred guesses at
 * once would all find the count still low.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { neighbourhoodOf, networkOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { sha256 } from '#lib/secret'

export interface Limit {
  kind: string
  subject: string
  /** Attempts within the window; the next one is refused. */
  max: number
  windowMinutes: number
}

/** Attempts that have been counted, to be taken back when they prove right. */
export type Counted = bigint[]

/** Ten failures per account, fifty per address. Unknown names count too, so that they are not told apart. */
export function signinLimits(subject: string, ip: string): Limit[] {
  return [
    { kind: 'signin_account', subject, max: 10, windowMinutes: 15 },
    { kind: 'signin_ip', subject: networkOf(ip), max: 50, windowMinutes: 15 },
  ]
}

/** Guesses at the current password by somebody who holds a session. */
export const passwordLimits = (accountId: bigint): Limit[] => [
  { kind: 'password_account', subject: accountSubject(accountId), max: 10, windowMinutes: 15 },
]

/** Accounts made from one address: enough for an office behind one, too few for a farm. */
export const signupLimits = (ip: string): Limit[] => [
  { kind: 'signup_ip', subject: networkOf(ip), max: 30, windowMinutes: 60 },
]

/** Tokens of letters that did not fit. They are too long to guess; this saves the database the trying. */
export const tokenLimits = (ip: string): Limit[] => [
  { kind: 'token_ip', subject: networkOf(ip), max: 30, windowMinutes: 15 },
]

/** Letters asked for from one address. */
export const resetLimits = (ip: string): Limit[] => [
  { kind: 'reset_ip', subject: networkOf(ip), max: 10, windowMinutes: 60 },
]

/** Letters to one mailbox, whoever asks for them. */
export const mailboxLimits = (emailKey: string): Limit[] => [
  { kind: 'reset_mailbox', subject: nameSubject(emailKey), max: 3, windowMinutes: 60 },
]

/** Six digits of the bot, from one address, and wrong ones from those around it. */
export const telegramCodeLimits = (ip: string): [tries: Limit, guesses: Limit] => [
  { kind: 'telegram_code', subject: networkOf(ip), max: 5, windowMinutes: 1 },
  { kind: 'telegram_code_nearby', subject: neighbourhoodOf(ip), max: 25, windowMinutes: 1 },
]

/**
 * Wrong digits of the bot from anywhere, within the five minutes that a code lives: 300 together, so that whoever has
 * thousands of addresses hits a certain code with a chance of one in some three thousand. They can use up these guesses
 * and nobody's code. A neighbourhood's first wrong one of a day is counted apart from those that follow: to keep
 * others from signing in, a guesser needs forty neighbourhoods a minute that have not guessed yet.
 */
export const telegramCodeFirst = (ip: string): Limit[] => [
  { kind: 'telegram_code_first', subject: neighbourhoodOf(ip), max: 1, windowMinutes: 24 * 60 },
  { kind: 'telegram_code_anywhere', subject: 'first', max: 200, windowMinutes: 5 },
]
export const telegramCodeAgain: Limit[] = [
  { kind: 'telegram_code_anywhere', subject: 'again', max: 100, windowMinutes: 5 },
]

/** Promo codes that are none. A person who types one is asked about it letter by letter, so there is room. */
export const promoLimits = (accountId: bigint, ip: string): Limit[] => [
  { kind: 'promo_account', subject: accountSubject(accountId), max: 60, windowMinutes: 15 },
  { kind: 'promo_ip', subject: networkOf(ip), max: 300, windowMinutes: 15 },
]

/** Addresses that another customer has proven, asked for by one who would list them. */
export const addressLimits = (accountId: bigint): Limit[] => [
  { kind: 'address_taken', subject: accountSubject(accountId), max: 20, windowMinutes: 24 * 60 },
]

/** Letters and messages to the customer whose address another has proven, which two accounts of one person can bring about. */
export const addressNoticeLimits = (accountId: bigint): Limit[] => [
  { kind: 'address_notice', subject: accountSubject(accountId), max: 10, windowMinutes: 24 * 60 },
]

/** An account whatever it is called: its name and its e-mail share one count. */
export const accountSubject = (id: bigint): string => `account ${id}`

/** A name that is nobody's; digested, since a name may be longer than an index entry. */
export const nameSubject = (key: string): string => `name ${sha256(key).toString('base64url')}`

/** Counts an attempt, or refuses with `too_many_attempts` when one of the limits is reached. */
export async function countAttempt(db: Kysely<DB>, limits: Limit[], now: Date): Promise<Counted> {
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

/** Counts an attempt in a transaction of its own, unless one of the limits is reached: then says when it is no more. */
export function tryCount(
  db: Kysely<DB>,
  limits: Limit[],
  now: Date,
): Promise<{ counted: Counted } | { waitSeconds: number }> {
  return transaction(db, async (tx) => {
    for (const { kind, subject } of limits) {
      // Of those who count the same thing at once, each sees what the others counted.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${kind} ${subject}`}, 0))`.execute(tx)
      // What a clock counted that has been set back since happened now at the latest: it must grow old like the rest.
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

/** How long until the limit lets one more through; 0 for now. */
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

/** Takes attempts back that proved right. */
export async function takeBack(db: Kysely<DB>, counted: Counted): Promise<void> {
  await db.deleteFrom('attempt').where('id', 'in', counted).execute()
}

/**
 * A right password clears the account's count, but of the address's only this one attempt: one good account must not
 * wash a guesser.
 */
export async function clearFailures(db: Kysely<DB>, accountId: bigint): Promise<void> {
  await db
    .deleteFrom('attempt')
    .where('kind', 'in', ['signin_account', 'password_account'])
    .where('subject', '=', accountSubject(accountId))
    .execute()
}

/** Drops what no window can see any more. */
export async function forgetOldAttempts(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('attempt')
    .where('at', '<', new Date(now.getTime() - 24 * 60 * 60_000))
    .execute()
}
