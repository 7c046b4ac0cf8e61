/** The facts from which a draft of a legal page is made. */
import type { Content } from '#contract/desk/content'
import type { LegalPage } from '#contract/legal/pages'

export interface LegalFacts {
  /** The name of the shop. */
  shop: string
  seller: Content['seller']['ru']
  /** The link to support; null: the shop has none. */
  support: string | null
}

/** The drafts of a language, in the form of the operator's own texts. */
export type Drafts = Readonly<Record<LegalPage, (facts: LegalFacts) => { title: string; text: string }>>

/** Paragraphs; those whose facts are missing are left out. */
export const paragraphs = (...all: (string | null)[]): string =>
  all.filter((one) => one !== null && one !== '').join('\n\n')
