/** Consents given at sign-up: the text, the time and the client. */
import type { Kysely, Transaction } from 'kysely'
import { type ShownDocument, signUpDocuments } from '#content'
import type { Language } from '#contract/language'
import type { ConsentDocument } from '#contract/legal/consents'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'

/** A document that a person has agreed to, with the hash of what they were shown. */
export interface Agreed {
  document: ConsentDocument
  sha256: string
}

export interface ConsentOrigin {
  accountId: bigint
  way: 'site' | 'telegram'
  at: Date
  ip: string | null
  userAgent: string | null
}

/** Longer User-Agent values are truncated. */
const mostUserAgent = 400

/**
 * Records the account owner's consent to every current document. Refuses with `consents_outdated` when a
 * consent is missing or refers to another text. Idempotent.
 */
export async function recordConsents(
  tx: Transaction<DB>,
  agreed: readonly Agreed[],
  { language, ...given }: ConsentOrigin & { language: Language },
): Promise<void> {
  const shown = await signUpDocuments(tx, language)
  const hashes = new Map(agreed.map(({ document, sha256 }) => [document, sha256]))
  if (hashes.size !== agreed.length || hashes.size !== shown.length) throw new Refusal('consents_outdated')
  for (const { document, sha256 } of shown)
    if (hashes.get(document) !== sha256.toString('hex')) throw new Refusal('consents_outdated')
  for (const one of shown) await record(tx, one, given)
}

async function record(
  tx: Transaction<DB>,
  { document, language, title, text, isDraft, sha256, version }: ShownDocument,
  { accountId, way, at, ip, userAgent }: ConsentOrigin,
): Promise<void> {
  await tx
    .insertInto('shown_document')
    .values({ sha256, document, language, title, text, is_draft: isDraft, kept_at: at })
    .onConflict((known) => known.doNothing())
    .execute()
  await tx
    .insertInto('sign_up_consent')
    .values({
      account_id: accountId,
      document,
      sha256,
      version,
      way,
      given_at: at,
      ip,
      user_agent: userAgent?.slice(0, mostUserAgent) ?? null,
    })
    .onConflict((known) => known.doNothing())
    .execute()
}

/**
 * Records consents given in the bot, as `recordConsents` does. Telegram does not report the client's address
 * or program.
 */
export function agreeInTelegram(
  db: Kysely<DB>,
  agreed: readonly Agreed[],
  { accountId, language, at }: Pick<ConsentOrigin, 'accountId' | 'at'> & { language: Language },
): Promise<void> {
  const given = { accountId, way: 'telegram', at, ip: null, userAgent: null } as const
  return transaction(db, (tx) => recordConsents(tx, agreed, { ...given, language }))
}

/** Whether the account's owner has ever accepted the shop's documents. */
export async function hasAgreed(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('sign_up_consent')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export interface SignUpConsent {
  document: ConsentDocument
  title: string
  sha256: Buffer
  isDraft: boolean
  version: bigint | null
  way: 'site' | 'telegram'
  givenAt: Date
  ip: string | null
}

/** The consents that the account's owner gave at sign-up, oldest first. */
export async function signUpConsents(db: Kysely<DB>, accountId: bigint): Promise<SignUpConsent[]> {
  const rows = await db
    .selectFrom('sign_up_consent as consent')
    .innerJoin('shown_document as shown', 'shown.sha256', 'consent.sha256')
    .select(['consent.document', 'shown.title', 'consent.sha256', 'shown.is_draft', 'consent.version'])
    .select(['consent.way', 'consent.given_at', 'consent.ip'])
    .where('consent.account_id', '=', accountId)
    .orderBy('consent.id')
    .execute()
  return rows.map((row) => ({
    document: row.document as ConsentDocument,
    title: row.title,
    sha256: row.sha256,
    isDraft: row.is_draft,
    version: row.version,
    way: row.way as SignUpConsent['way'],
    givenAt: row.given_at,
    ip: row.ip,
  }))
}
