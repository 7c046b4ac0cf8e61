/** The legal pages as they are public, and what of them is agreed to at sign-up. */
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Content, Part } from '#contract/desk/content'
import type { Language } from '#contract/language'
import { type ConsentDocument, consentDocuments } from '#contract/consents'
import { type LegalPage, legalPages } from '#contract/legal'
import type { DB } from '#db'
import { wholeContent } from '../versions.ts'
import { english } from './en.ts'
import { russian } from './ru.ts'

const drafts = { ru: russian, en: english }
const otherOf = (language: Language): Language => (language === 'ru' ? 'en' : 'ru')

type LegalDraft = Pick<LegalText, 'title' | 'text'>

export interface LegalText {
  /** Of the text. */
  language: Language
  title: string
  text: string
  /** It is the program's, not the operator's. */
  isDraft: boolean
}

/**
 * A legal page: the operator's text in the language, else in the other one, else the program's draft; null: the shop does without the
 * page. The company details are no draft once the seller is set, whose data they are.
 */
export function legalText(content: Content, page: LegalPage, language: Language): LegalText | null {
  const { legal, seller } = content
  if (legal.without.includes(page)) return null
  for (const each of [language, otherOf(language)]) {
    const own = legal[each][page]
    if (own !== null) return { language: each, ...own, isDraft: false }
  }
  const isDraft = page !== 'requisites' || (seller.ru ?? seller.en) === null
  return { language, ...draftOf(content, page, language), isDraft }
}

function draftOf({ brand, links, seller }: Content, page: LegalPage, language: Language): LegalDraft {
  const own = seller[language] ?? seller[otherOf(language)]
  return drafts[language][page]({ shop: brand.name, seller: own, support: links.support })
}

/** What a page is called by the program. */
export const draftTitle = (page: LegalPage, language: Language): string =>
  drafts[language][page]({ shop: '', seller: null, support: null }).title

/** The drafts of all pages in both languages, as they are shown where no text is published. */
export function legalDrafts(content: Content): Record<Language, Record<LegalPage, LegalDraft>> {
  const inLanguage = (language: Language) => {
    const entries = legalPages.map((page) => [page, draftOf(content, page, language)])
    return Object.fromEntries(entries) as Record<LegalPage, LegalDraft>
  }
  return { ru: inLanguage('ru'), en: inLanguage('en') }
}

/** A document that is agreed to, as a person is shown it. */
export interface ShownDocument extends LegalText {
  document: ConsentDocument
  sha256: Buffer
  /** The published version of the part that it is in; null: the part was never published. */
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

/** The page of rules in the form of a legal text. The program's own are in force: they are no draft. */
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

/** What a reviewer would miss of the legal pages. */
export interface LegalGaps {
  /** Pages that show the program's draft. */
  drafts: LegalPage[]
  /** Pages that are written in one language only. */
  untranslated: LegalPage[]
  /** Pages of which the shop has said that it does without. */
  without: LegalPage[]
  hasSupport: boolean
  /** Reports of abuse have an address: of a page of the operator's own, or the contacts that its draft names. */
  hasAbuseContact: boolean
}

export function legalGaps(content: Content): LegalGaps {
  const { legal, links, seller } = content
  const shown = legalPages.filter((page) => !legal.without.includes(page))
  const isDraft = (page: LegalPage) => legalText(content, page, 'ru')?.isDraft === true
  const contacts = seller.ru?.contacts ?? seller.en?.contacts ?? links.support
  return {
    drafts: shown.filter(isDraft),
    untranslated: shown.filter((page) => (legal.ru[page] === null) !== (legal.en[page] === null)),
    without: [...legal.without],
    hasSupport: links.support !== null,
    hasAbuseContact: !legal.without.includes('abuse') && (!isDraft('abuse') || contacts !== null),
  }
}
