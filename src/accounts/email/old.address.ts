/**
 * The old address's consent to a change. A confirmed old address is asked: the change waits until its link
 * has been followed too. The owner may have lost that mailbox, so no answer within seven days counts as
 * consent, and so does a second factor, which a thief of the password lacks.
 */
import { sql, type Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import { type DB, transaction, type Db } from '#db'
import { Refusal } from '#lib/refusal'
import { randomToken, type Secrets, sha256 } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { provenByFactor } from '../signin/proof.ts'
import { securityChangedAt } from '../signin/tell.ts'
import { countAttempt, takeBack, tokenLimits } from '../signin/throttle.ts'
import { lockAccount, lockAccountOf, replaceEmail } from './replace.ts'
import type { EndPrograms } from '../signin/session.ts'
import { throwOut } from './undo.ts'

const answerMs = 7 * 24 * 60 * 60_000
/** A newer factor may have been added by a thief. */
const factorAgeMs = 72 * 60 * 60_000

interface Asking {
  accountId: bigint
  changeId: bigint
  tokenSha256: Buffer
  ip: string
}

/**
 * Asks the old address whether it agrees; false: it is unconfirmed, or a second factor has proved the owner.
 */
export async function askOldAddress(
  tx: Transaction<DB>,
  secrets: Secrets,
  { accountId, changeId, tokenSha256, ip }: Asking,
  now: Date,
): Promise<boolean> {
  const { email, email_confirmed_at: confirmedAt, username, lang } = await lockAccount(tx, accountId)
  if (email === null || confirmedAt === null) return false
  if (await isSureOwner(tx, { accountId, tokenSha256 }, now)) return false
  const token = randomToken()
  const expiresAt = new Date(now.getTime() + answerMs)
  await tx
    .updateTable('email_change')
    .set({ old_sha256: sha256(token), old_answer_by: expiresAt })
    .where('id', '=', changeId)
    .execute()
  await sendMail(tx, {
    template: 'approve_new_email',
    accountId,
    to: email,
    language: languageOfCode(lang),
    data: { username, sealed_token: sealToken(secrets, token, email), ip },
    expiresAt,
  })
  return true
}

async function isSureOwner(
  tx: Db,
  { accountId, tokenSha256 }: { accountId: bigint; tokenSha256: Buffer },
  now: Date,
): Promise<boolean> {
  if (!(await provenByFactor(tx, tokenSha256, now))) return false
  const changedAt = await securityChangedAt(tx, accountId)
  return changedAt === null || now.getTime() - changedAt.getTime() > factorAgeMs
}

/**
 * The answer of the old address. Agreed: the change is made as soon as the new address is confirmed; returns
 * whether it has been made. Refused: the change is cancelled, and the password, all sessions and the API
 * token become invalid, since the requester used a stolen password or session. Refuses with
 * `invalid_undo_token` (unknown, used, older than seven days), `invalid_confirmation_token` (the new address
 * was taken meanwhile) and `too_many_attempts`.
 */
export async function answerEmailChange(
  db: Db,
  deps: { secrets: Secrets; endPrograms: EndPrograms },
  { token, isAgreed, ip }: { token: string; isAgreed: boolean; ip: string },
  now: Date,
): Promise<boolean> {
  const counted = await countAttempt(db, tokenLimits(ip), now)
  return refusingTaken(() =>
    transaction(db, async (tx) => {
      // Of two links that are followed concurrently, the second sees the result of the first.
      await lockAccountOf(tx, 'old_sha256', sha256(token))
      const change = await tx
        .selectFrom('email_change')
        .select(['id', 'account_id', 'new_email', 'new_email_key', 'new_confirmed_at'])
        .where('old_sha256', '=', sha256(token))
        .where('confirmed_at', 'is', null)
        .where('old_answer_by', '>', now)
        .executeTakeFirst()
      if (change === undefined) throw new Refusal('invalid_undo_token')
      await takeBack(tx, counted)
      if (!isAgreed) {
        await tx.deleteFrom('email_change').where('id', '=', change.id).execute()
        await throwOut(tx, deps, { accountId: change.account_id, ip }, now)
        return false
      }
      if (change.new_confirmed_at !== null) {
        await replaceEmail(tx, deps.secrets, { ...change, ip }, now)
        return true
      }
      // The link stays valid: until the change is made it can still refuse.
      await tx.updateTable('email_change').set({ old_approved_at: now }).where('id', '=', change.id).execute()
      return false
    }),
  )
}

/** Makes the changes whose old address did not answer in time; returns their number. */
export async function completeEmailChanges(db: Db, secrets: Secrets, now: Date): Promise<number> {
  let made = 0
  const { rows } = await sql<{ id: bigint }>`
    select id from email_change
    where confirmed_at is null and new_confirmed_at is not null and old_answer_by <= ${now} order by id`.execute(
    db,
  )
  for (const { id } of rows) if (await complete(db, secrets, id, now)) made++
  return made
}

async function complete(db: Db, secrets: Secrets, id: bigint, now: Date): Promise<boolean> {
  try {
    return await refusingTaken(() =>
      transaction(db, async (tx) => {
        await lockAccountOf(tx, 'id', id)
        const change = await tx
          .selectFrom('email_change')
          .select(['id', 'account_id', 'new_email', 'new_email_key'])
          .where('id', '=', id)
          .where('confirmed_at', 'is', null)
          .executeTakeFirst()
        if (change === undefined) return false
        await replaceEmail(tx, secrets, { ...change, ip: null }, now)
        return true
      }),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The address was taken meanwhile, or the account blocked.
    await db.deleteFrom('email_change').where('id', '=', id).where('confirmed_at', 'is', null).execute()
    return false
  }
}

/**
 * Runs a change; refuses with `invalid_confirmation_token` when another account takes the address
 * concurrently.
 */
export async function refusingTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && (error as Error & { code?: unknown }).code === '23505')
      throw new Refusal('invalid_confirmation_token')
    throw error
  }
}
