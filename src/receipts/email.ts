/**
 * The address for a customer's receipts: the account's e-mail, or a separate one.
 */
import { domainToASCII } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { accountById } from '#accounts'
import { isEmail } from '#contract/account-rules'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'

export interface ReceiptEmail {
  /** Null: there is none that receipts can be sent to, and methods with receipts cannot be used. */
  email: string | null
  /** Whether it was given for receipts; otherwise it is the account's e-mail. */
  isOwn: boolean
}

/** The receipt address of an account. */
export async function receiptEmailOf(db: Kysely<DB>, accountId: bigint): Promise<ReceiptEmail> {
  const own = await db
    .selectFrom('receipt_email')
    .select('email')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (own !== undefined) return { email: own.email, isOwn: true }
  const email = (await accountById(db, accountId))?.email ?? null
  return { email: email === null || asciiEmail(email) === null ? null : email, isOwn: false }
}

/**
 * The address as processors take it: in ASCII, an international domain in its encoded form. Null: the name
 * before the @ has other characters, and no receipt can be sent there.
 */
export function asciiEmail(email: string): string | null {
  const at = email.lastIndexOf('@')
  const [name, domain] = [email.slice(0, at), domainToASCII(email.slice(at + 1))]
  return /^[\x21-\x7e]+$/.test(name) && domain !== '' ? `${name}@${domain}` : null
}

/** The address without spaces around it. Refuses with `invalid_receipt_email`. */
export function checkReceiptEmail(given: string): string {
  const email = given.trim()
  if (!isEmail(email) || asciiEmail(email) === null)
    throw new Refusal('invalid_receipt_email', { field: 'receipt_email' })
  return email
}

/**
 * Sets the receipt address of an account; null: the account's e-mail. It cannot be used to sign in and is not
 * confirmed, since only receipts of the customer's own payments are sent there. Refuses with
 * `invalid_receipt_email`.
 */
export async function setReceiptEmail(
  db: Kysely<DB>,
  accountId: bigint,
  given: string | null,
  now: Date,
): Promise<void> {
  if (given === null) {
    await db.deleteFrom('receipt_email').where('account_id', '=', accountId).execute()
    return
  }
  const email = checkReceiptEmail(given)
  await sql`
    insert into receipt_email (account_id, email, set_at) values (${accountId}, ${email}, ${now})
    on conflict (account_id) do update set email = excluded.email, set_at = excluded.set_at
    where receipt_email.email <> excluded.email`.execute(db)
}
