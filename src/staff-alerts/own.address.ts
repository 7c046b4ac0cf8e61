/**
 * The address to which a staff member's alerts are mailed. It takes effect once the code mailed to it is
 * entered.
 */
import { randomInt } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Language } from '#contract/language'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { sha256 } from '#lib/secret'
import { sendMail } from '#mail'
import { type Author, record } from '#staff'
import { codeWords } from './texts.ts'

/** OWASP ASVS 6.5.5: ten minutes for a code given by another channel. */
const codeLifeMs = 10 * 60_000
/** Limits letters to an address that may belong to another person. */
const pauseMs = 60_000
const mostTries = 5
const digits = 8

export interface PendingAddress {
  email: string
  expiresAt: Date
}

/** The address that awaits its code; null: none. */
export async function pendingAddress(
  db: Kysely<DB>,
  staffId: bigint,
  now: Date,
): Promise<PendingAddress | null> {
  const row = await db
    .selectFrom('staff_address')
    .select(['email', 'expires_at'])
    .where('staff_id', '=', staffId)
    .where('expires_at', '>', now)
    .where('tries', '<', mostTries)
    .executeTakeFirst()
  return row === undefined ? null : { email: row.email, expiresAt: row.expires_at }
}

/**
 * Sends a code to an address, in the transaction of the member's other choices. Refuses with
 * `code_sent_already` within a minute of the last.
 */
export async function askForCode(
  tx: Transaction<DB>,
  wish: { staffId: bigint; email: string; language: Language },
  deskUrl: URL,
  now: Date,
): Promise<void> {
  const { staffId, email, language } = wish
  const code = String(randomInt(10 ** digits)).padStart(digits, '0')
  const last = await tx
    .selectFrom('staff_address')
    .select('asked_at')
    .where('staff_id', '=', staffId)
    .executeTakeFirst()
  const waitedMs = last === undefined ? pauseMs : now.getTime() - last.asked_at.getTime()
  // After the clock was set back, the last letter may lie in the future; it is then ignored.
  if (waitedMs >= 0 && waitedMs < pauseMs)
    throw new Refusal('code_sent_already', { seconds: Math.ceil((pauseMs - waitedMs) / 1000) })
  const values = {
    email,
    language,
    code_sha256: sha256(code),
    asked_at: now,
    expires_at: new Date(now.getTime() + codeLifeMs),
    tries: 0,
  }
  await tx
    .insertInto('staff_address')
    .values({ staff_id: staffId, ...values })
    .onConflict((conflict) => conflict.column('staff_id').doUpdateSet(values))
    .execute()
  const data = { ...codeWords(code, language), href: new URL('/me', deskUrl).href }
  await sendMail(tx, { template: 'staff_alert', to: email, language, data })
}

/** Deletes the unconfirmed address. */
export const dropPending = (tx: Transaction<DB>, staffId: bigint) =>
  tx.deleteFrom('staff_address').where('staff_id', '=', staffId).execute()

/**
 * Confirms the address that this code was mailed to. Refuses with `wrong_code`, also when no code is valid.
 */
export async function confirmAddress(
  db: Kysely<DB>,
  author: Author & { staffId: bigint },
  code: string,
  now: Date,
): Promise<void> {
  const { staffId } = author
  // A wrong attempt must stay counted, so it is not part of the transaction that is rolled back.
  const { rows } = await sql<{ email: string; language: Language; is_right: boolean }>`
    update staff_address set tries = tries + 1
    where staff_id = ${staffId} and expires_at > ${now} and tries < ${mostTries}
    returning email, language, code_sha256 = ${sha256(code)} as is_right`.execute(db)
  const [found] = rows
  if (found?.is_right !== true) throw new Refusal('wrong_code')
  await transaction(db, async (tx) => {
    const { numDeletedRows: used } = await tx
      .deleteFrom('staff_address')
      .where('staff_id', '=', staffId)
      .where('code_sha256', '=', sha256(code))
      .executeTakeFirst()
    if (used === 0n) throw new Refusal('wrong_code')
    const { email, language } = found
    const before = await tx
      .selectFrom('staff_alert')
      .select('email')
      .where('staff_id', '=', staffId)
      .executeTakeFirst()
    await tx
      .insertInto('staff_alert')
      .values({ staff_id: staffId, email, language })
      .onConflict((conflict) => conflict.column('staff_id').doUpdateSet({ email, language }))
      .execute()
    const subject = { kind: 'staff', id: String(staffId) } as const
    const change = { before: { email: before?.email ?? null }, after: { email } }
    await record(tx, author, { action: 'confirm_alert_address', subject, ...change }, now)
  })
}
