/** The legal pages as they are public. */
import type { Content } from '#contract/desk/content'
import type { Language } from '#contract/language'
import { type LegalPage, legalPages } from '#contract/legal/pages'
import { english } from './en.ts'
import { russian } from './ru.ts'

const drafts = { ru: russian, en: english }
const otherOf = (language: Language): Language => (language === 'ru' ? 'en' : 'ru')

type LegalDraft = Pick<LegalText, 'title' | 'text'>

export interface LegalText {
  /** The language of the text. */
  language: Language
  title: string
  text: string
  /** The text is the program's draft, not the operator's text. */
  isDraft: boolean
}

/**
 * A legal page: the operator's text in the language, else in the other one, else the program's draft; null:
 * the shop has switched the page off. The company details are not a draft once the seller is set.
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

/** The program's title of a page. */
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

/** Gaps of the legal pages. */
export interface LegalGaps {
  /** Pages that show the program's draft. */
  drafts: LegalPage[]
  /** Pages that are written in one language only. */
  untranslated: LegalPage[]
  /** Pages that the shop has switched off. */
  without: LegalPage[]
  hasSupport: boolean
  /**
   * Whether reports of abuse have an address: on the operator's own page, or in the contacts that its draft
   * names.
   */
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
