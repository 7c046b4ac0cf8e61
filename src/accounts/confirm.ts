/** Confirming an e-mail address by the link of a letter. */
import type { Kysely, Transaction } from 'kysely'
import { type LanguageCode, languageOfCode } from '#contract/language'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { countAttempt, takeBack, tokenLimits } from './signin/throttle.ts'
import { issueToken, useToken } from './token.ts'

/** Writes the letter with the link, which is valid for 48 hours. */
export async function sendConfirmation(
  tx: Transaction<DB>,
  secrets: Secrets,
  account: { id: bigint; username: string | null; email: string; lang: LanguageCode },
  now: Date,
): Promise<void> {
  const { token, expiresAt } = await issueToken(tx, {
    kind: 'confirm_email',
    accountId: account.id,
    from: now,
  })
  await sendMail(tx, {
    template: 'confirm_email',
    to: account.email,
    language: languageOfCode(account.lang),
    data: { username: account.username, sealed_token: sealToken(secrets, token, account.email) },
    expiresAt,
  })
}

/** Refuses with `invalid_confirmation_token` (unknown, used, older than 48 hours) and `too_many_attempts`. */
export async function confirmEmail(
  db: Kysely<DB>,
  given: { token: string; ip: string },
  now: Date,
): Promise<void> {
  const counted = await countAttempt(db, tokenLimits(given.ip), now)
  await transaction(db, async (tx) => {
    const accountId = await useToken(tx, 'confirm_email', given.token, now)
    if (accountId === null) throw new Refusal('invalid_confirmation_token')
    await tx
      .updateTable('account')
      .set({ email_confirmed_at: now, updated_at: now })
      .where('id', '=', accountId)
      .where('email_confirmed_at', 'is', null)
      .execute()
    await takeBack(tx, counted)
  })
}
