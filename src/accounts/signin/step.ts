/**
 * The second step of a sign-in. Where an account has second factors, its password or the bot's code opens no
 * session but gives a ticket, which is exchanged for one with a factor.
 */
import type { Transaction } from 'kysely'
import type { DB } from '#db'
import { accountFactors } from '#second-factors'
import { Refusal } from '#lib/refusal'
import { randomToken, sha256 } from '#lib/secret'
import type { Origin } from './origin.ts'
import { openSession } from './session.ts'

const lifeMs = 5 * 60_000
const linkProvesAfterMs = 72 * 60 * 60_000

export type FirstStep = 'password' | 'telegram'

/**
 * A session's token, or the refusal that carries the ticket: thrown after the transaction, which must commit.
 */
export type Step = { token: string } | { needed: Refusal }

/** After a correct first step, opens the session or issues the ticket for the second step. */
export async function afterFirstStep(
  tx: Transaction<DB>,
  given: { accountId: bigint; way: FirstStep; origin: Origin },
  now: Date,
): Promise<Step> {
  const { accountId, way, origin } = given
  const factors = await accountFactors(tx, accountId)
  if (factors.length === 0) {
    const isProof = way === 'password' || !(await isLinkedLately(tx, accountId, now))
    return { token: await openSession(tx, { accountId, origin, way, isProof }, now) }
  }
  const ticket = randomToken()
  await tx
    .insertInto('sign_in_step')
    .values({
      ticket_sha256: sha256(ticket),
      account_id: accountId,
      way,
      created_at: now,
      expires_at: new Date(now.getTime() + lifeMs),
    })
    .execute()
  return { needed: new Refusal('second_factor_needed', { ticket, factors }) }
}

/**
 * Whether the account's Telegram was linked less than 72 hours ago, and a password or a confirmed address belongs to
 * the owner too: the link may be a thief's. It signs in, but does not prove the owner. The person with whom the
 * account began is no thief, as long as it has no password.
 */
async function isLinkedLately(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('telegram_identity')
    .innerJoin('account', 'account.id', 'telegram_identity.account_id')
    .select('account.id')
    .where('account.id', '=', accountId)
    .where(({ eb, or, and }) =>
      or([
        eb('password_hash', 'is not', null),
        and([eb('email_confirmed_at', 'is not', null), eb('linked_at', '<>', eb.ref('account.created_at'))]),
      ]),
    )
    .where('linked_at', '>', new Date(now.getTime() - linkProvesAfterMs))
    .executeTakeFirst()
  return row !== undefined
}

/** The token of a finished sign-in. Refuses with `second_factor_needed`. */
export function tokenOf(step: Step): string {
  if ('needed' in step) throw step.needed
  return step.token
}

/**
 * The sign-in of a ticket; null: unknown, used, or older than five minutes. With `lock`, one of several
 * concurrent uses succeeds.
 */
export async function stepOf(
  db: Transaction<DB>,
  ticket: string,
  now: Date,
  { lock = false }: { lock?: boolean } = {},
): Promise<{ accountId: bigint; way: FirstStep } | null> {
  const query = db
    .selectFrom('sign_in_step')
    .select(['account_id', 'way'])
    .where('ticket_sha256', '=', sha256(ticket))
    .where('expires_at', '>', now)
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst()
  return row === undefined ? null : { accountId: row.account_id, way: row.way as FirstStep }
}

/** Uses up a ticket; false: it was used or has expired. */
export async function endStep(tx: Transaction<DB>, ticket: string): Promise<boolean> {
  const ended = await tx
    .deleteFrom('sign_in_step')
    .where('ticket_sha256', '=', sha256(ticket))
    .executeTakeFirst()
  return ended.numDeletedRows > 0n
}
