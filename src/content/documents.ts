/**
 * The documents to accept at sign-up: the offer, the rules and the consent to personal data, in their public
 * versions.
 */
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Content, Part } from '#contract/desk/content'
import type { Language } from '#contract/language'
import { type ConsentDocument, consentDocuments } from '#contract/legal/consents'
import type { DB } from '#db'
import { type LegalText, legalText } from './legal/legal.ts'
import { wholeContent } from './versions.ts'

/** A document to accept, as shown to a person. */
export interface ShownDocument extends LegalText {
  document: ConsentDocument
  sha256: Buffer
  /** The published version of the part that contains it; null: the part was never published. */
  version: bigint | null
}

/** The documents to agree to at sign-up, as they are public now. */
export async function signUpDocuments(db: Kysely<DB>, language: Language): Promise<ShownDocument[]> {
  // One query, so that the versions are those of these texts.
  const rows = await db
    .selectFrom('content')
    .select(['part', 'value'])
    .select(
      sql<bigint | null>`(select max(id) from content_version v where v.part = content.part)`.as('version'),
    )
    .execute()
  const content = wholeContent(rows)
  const versionOf = (part: Part) => rows.find((row) => row.part === part)?.version ?? null
  const versions = { rules: versionOf('rules'), legal: versionOf('legal') }
  return consentDocuments.flatMap((document) => {
    const text = document === 'rules' ? rulesText(content, language) : legalText(content, document, language)
    if (text === null) return []
    const hash = createHash('sha256').update(`${text.language}\n${text.title}\n${text.text}\n`)
    const version = document === 'rules' ? versions.rules : versions.legal
    return [{ document, ...text, sha256: hash.digest(), version }]
  })
}

/**
 * The page of rules in the form of a legal text. The program's default rules are in force and not a draft.
 */
function rulesText({ rules }: Content, language: Language): LegalText {
  const { title, subtitle, rules: all, partner, ending, note } = rules[language]
  const linked = (text: string, link: string | null) => (link === null ? text : `${text} (${link})`)
  const lines = [
    subtitle,
    ...all.map(({ text, more_link: link }, index) => `${index + 1}. ${linked(text, link)}`),
    ...(partner === null ? [] : [linked(partner.name, partner.link)]),
    ending,
    note,
  ]
  return { language, title, text: lines.join('\n\n'), isDraft: false }
}
