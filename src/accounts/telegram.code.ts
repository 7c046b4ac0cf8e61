/**
 * Signing in to the site by six digits from the bot: valid for five minutes, once, and at most one code at a
 * time per person. The digits are drawn by a cryptographic generator and stored only as an HMAC under a key
 * derived from SECRET_KEY. A wrong guess concerns no particular account, so the guesses of an address, and of
 * all together, are bounded (`throttle.ts`).
 */
import { createHmac, randomInt } from 'node:crypto'
import type { telegramWire } from '#contract/accounts/calls'
import { type Db, transaction } from '#db'
import type { HandlersOf } from '#db/call'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { blockColumns, blockedRefusal } from './blocking.ts'
import { originOf, type Origin } from './signin/origin.ts'
import { afterFirstStep, tokenOf } from './signin/step.ts'
import {
  countAttempt,
  type AttemptIds,
  takeBack,
  telegramCodeAgain,
  telegramCodeFirst,
  telegramCodeLimits,
  tryCount,
} from './signin/throttle.ts'

const lifeMs = 5 * 60_000

const digest = (secrets: Secrets, code: string): Buffer =>
  createHmac('sha256', secrets.derive('telegram sign-in code')).update(code).digest()

/** A new code for the account; the previous one becomes invalid. */
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
    // Nothing is inserted when another person's valid code has these digits: they are drawn again.
    if (made !== undefined) return { code, expiresAt }
  }
}

/**
 * Exchanges a code for a session token. Of concurrent uses of one code, one succeeds. Refuses with
 * `telegram_code_invalid` (not six digits), `too_many_attempts` (the sixth try of an address within a minute,
 * or too many wrong ones from neighbouring addresses or in total, over all processes),
 * `telegram_code_unknown` (never given, used or older than five minutes alike) and `account_blocked`, and
 * where the account has second factors with `second_factor_needed`: the bot proves the Telegram account only.
 */
export async function signInByTelegramCode(
  db: Db,
  secrets: Secrets,
  { code, ip, userAgent = null, country = null, ...browser }: { code: string; ip: string } & Partial<Origin>,
  now: Date,
): Promise<string> {
  if (!/^\d{6}$/.test(code)) throw new Refusal('telegram_code_invalid')
  const counted = await countTry(db, ip, now)
  const step = await transaction(db, async (tx) => {
    const taken = await tx
      .deleteFrom('telegram_code')
      .where('code_hmac', '=', digest(secrets, code))
      .where('expires_at', '>', now)
      .returning('account_id')
      .executeTakeFirst()
    if (taken === undefined) throw new Refusal('telegram_code_unknown')
    const account = await tx
      .selectFrom('account')
      .select(['id', 'blocked_at', ...blockColumns])
      .where('id', '=', taken.account_id)
      // Blocking ends the sessions that are there: it waits for this one, or this waits for it.
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (account.blocked_at !== null) throw blockedRefusal(account)
    await tx
      .updateTable('telegram_identity')
      .set({ signed_in_at: now })
      .where('account_id', '=', account.id)
      .execute()
    const origin = { ...browser, ip, userAgent, country }
    return afterFirstStep(tx, { accountId: account.id, way: 'telegram', origin }, now)
  })
  await takeBack(db, counted)
  return tokenOf(step)
}

/**
 * Counts an attempt before the code is checked, since the refusal of a wrong code must not roll back its
 * count. Returns the counts to take back when the code is right: all but the address's own.
 */
async function countTry(db: Db, ip: string, now: Date): Promise<AttemptIds> {
  const [, ...nearby] = await countAttempt(db, telegramCodeLimits(ip), now)
  const first = await tryCount(db, telegramCodeFirst(ip), now)
  const anywhere = 'counted' in first ? first.counted : await countAttempt(db, telegramCodeAgain, now)
  return [...nearby, ...anywhere]
}

/** Deletes expired codes. */
export async function forgetTelegramCodes(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('telegram_code').where('expires_at', '<=', now).execute()
}

/** The site's call for these codes. */
export function telegramCalls({ secrets }: { secrets: Secrets }) {
  return {
    telegram_code_signin: ({ p_code: code }, context) =>
      signInByTelegramCode(context.database.db, secrets, { code, ...originOf(context) }, context.now()),
  } satisfies HandlersOf<typeof telegramWire>
}
