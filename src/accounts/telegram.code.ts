/**
 * Signing in to the site by six digits that the bot gave: good for five minutes, once, and at most one at a time for
 * a person. The digits are drawn by a cryptographic generator and kept only as an HMAC under a key of SECRET_KEY.
 */
import { createHmac, randomInt } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { Handlers } from '#db/call'
import { networkOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { openSession } from './session.ts'

type Db = Kysely<DB>

const lifeMs = 5 * 60_000
const triesPerMinute = 5
const minuteMs = 60_000

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
 * minute, over all processes), `telegram_code_unknown` (never given, used, or older than five minutes alike) and
 * `account_blocked`.
 */
export async function signInByTelegramCode(
  db: Db,
  secrets: Secrets,
  { code, ip }: { code: string; ip: string },
  now: Date,
): Promise<string> {
  if (!/^\d{6}$/.test(code)) throw new Refusal('telegram_code_invalid')
  await countTry(db, ip, now)
  return transaction(db, async (tx) => {
    const taken = await tx
      .deleteFrom('telegram_code')
      .where('code_hmac', '=', digest(secrets, code))
      .where('expires_at', '>', now)
      .returning('account_id')
      .executeTakeFirst()
    if (taken === undefined) throw new Refusal('telegram_code_unknown')
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
}

/** Counts a try before it is judged, in a transaction of its own: a wrong code must not undo its count. */
async function countTry(db: Db, ip: string, now: Date): Promise<void> {
  const subject = networkOf(ip)
  await transaction(db, async (tx) => {
    // Many tries at once are counted one after the other, in whatever process they arrive.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`telegram code ${subject}`}, 0))`.execute(tx)
    const since = new Date(now.getTime() - minuteMs)
    const tries = await tx
      .selectFrom('attempt')
      .select('at')
      .where('kind', '=', 'telegram_code')
      .where('subject', '=', subject)
      .where('at', '>', since)
      .orderBy('at', 'desc')
      .limit(triesPerMinute)
      .execute()
    const fifthLast = tries[triesPerMinute - 1]
    if (fifthLast !== undefined) {
      const seconds = Math.max(1, Math.ceil((fifthLast.at.getTime() - since.getTime()) / 1000))
      throw new Refusal('too_many_attempts', { minutes: 1 }, seconds)
    }
    await tx.insertInto('attempt').values({ kind: 'telegram_code', subject, at: now }).execute()
  })
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
