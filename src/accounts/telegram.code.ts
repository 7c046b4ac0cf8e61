/**
 * Signing in to the site by six digits that the bot gave: good for five minutes, once, and at most one at a time for
 * a person. The digits are drawn by a cryptographic generator and kept only as an HMAC under a key of SECRET_KEY.
 */
import { createHmac, randomInt } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import type { Handlers } from '#db/call'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { openSession } from './session.ts'
import { countAttempt, type Counted, takeBack, telegramCodeLimits } from './throttle.ts'

type Db = Kysely<DB>

const lifeMs = 5 * 60_000
const minuteMs = 60_000

/**
 * Wrong codes that may come from anywhere while a code waits; then it is worth nothing, and its owner asks for another.
 * Of a million codes that is a chance of one in some three thousand for whoever has thousands of addresses. To wear
 * codes out within the half minute that a person needs takes six hundred guesses a minute, from two dozen neighbourhoods.
 */
const guessesOutlived = 300
const anywhereKind = 'telegram_code_anywhere'

const digest = (secrets: Secrets, code: string): Buffer =>
  createHmac('sha256', secrets.derive('telegram sign-in code')).update(code).digest()

/** A new code for the account; the one it had before is worthless from now on. */
export async function issueTelegramCode(
  db: Db,
  secrets: Secrets,
  accountId: bigint,
  now: Date,
): Promise<{ code: string; expiresAt: Date }> {
  const expiresAt = new Date(now.getTime() + lifeMs)
  for (;;) {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const hmac = digest(secrets, code)
    const made = await transaction(db, async (tx) => {
      await tx
        .deleteFrom('telegram_code')
        .where((or) =>
          or.or([
            or('account_id', '=', accountId),
            or.and([or('code_hmac', '=', hmac), or('expires_at', '<=', now)]),
          ]),
        )
        .execute()
      return tx
        .insertInto('telegram_code')
        .values({ account_id: accountId, code_hmac: hmac, expires_at: expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .returning('account_id')
        .executeTakeFirst()
    })
    // Nothing is inserted when somebody else's live code has these digits: draw again.
    if (made !== undefined) return { code, expiresAt }
  }
}

/**
 * Takes a code and returns a session token. Of many who bring the same code, one is let in.
 * Refuses with `telegram_code_invalid` (not six digits), `too_many_attempts` (the sixth try of an address within a
 * minute, or too many wrong ones from those around it, over all processes), `telegram_code_unknown` (never given, used,
 * older than five minutes or worn out by guesses alike) and `account_blocked`.
 */
export async function signInByTelegramCode(
  db: Db,
  secrets: Secrets,
  { code, ip }: { code: string; ip: string },
  now: Date,
): Promise<string> {
  if (!/^\d{6}$/.test(code)) throw new Refusal('telegram_code_invalid')
  const counted = await countTry(db, ip, now)
  const token = await transaction(db, async (tx) => {
    const taken = await tx
      .deleteFrom('telegram_code')
      .where('code_hmac', '=', digest(secrets, code))
      .where('expires_at', '>', now)
      .returning(['account_id', 'expires_at'])
      .executeTakeFirst()
    if (taken === undefined || (await isWornOut(tx, taken.expires_at, now)))
      throw new Refusal('telegram_code_unknown')
    const account = await tx
      .selectFrom('account')
      .select(['id', 'blocked_at'])
      .where('id', '=', taken.account_id)
      .executeTakeFirstOrThrow()
    if (account.blocked_at !== null) throw new Refusal('account_blocked')
    await tx
      .updateTable('telegram_identity')
      .set({ signed_in_at: now })
      .where('account_id', '=', account.id)
      .execute()
    return openSession(tx, account.id, now)
  })
  await takeBack(db, counted)
  return token
}

/**
 * Counts a try before it is judged: a wrong one must not undo its count. Answers what is to be taken back when it proves
 * right, which is all but the address's own count.
 */
async function countTry(db: Db, ip: string, now: Date): Promise<Counted> {
  const [, nearby] = await countAttempt(db, telegramCodeLimits(ip), now)
  const anywhere = await db
    .insertInto('attempt')
    .values({ kind: anywhereKind, subject: '', at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return [...(nearby === undefined ? [] : [nearby]), anywhere.id]
}

/** Whether the code has seen more guesses than it outlives; a clock of another machine may be a little ahead. */
async function isWornOut(db: Db, expiresAt: Date, now: Date): Promise<boolean> {
  const guesses = await db
    .selectFrom('attempt')
    .select('id')
    .where('kind', '=', anywhereKind)
    .where('subject', '=', '')
    .where('at', '>', new Date(expiresAt.getTime() - lifeMs))
    .where('at', '<', new Date(now.getTime() + minuteMs))
    .limit(guessesOutlived + 1)
    .execute()
  return guesses.length > guessesOutlived
}

/** Drops the codes whose time is over. */
export async function forgetTelegramCodes(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('telegram_code').where('expires_at', '<=', now).execute()
}

/** The call of the site's page for these codes. */
export function telegramCalls({ secrets }: { secrets: Secrets }) {
  return {
    telegram_code_signin: ({ p_code: code }, { database, ip, now }) =>
      signInByTelegramCode(database.db, secrets, { code, ip }, now()),
  } satisfies Partial<Handlers>
}
