/** The content of a letter, from which its HTML and its text are rendered. */
import type { Language } from '#contract/language'
import type { Secrets } from '#lib/secret'
import type { Letters, Template } from './kinds.ts'

export interface Letter {
  subject: string
  /** The preview text that a mailbox shows beside the subject. */
  preview: string
  heading: string
  paragraphs: string[]
  facts: { label: string; value: string }[]
  button: { label: string; href: string } | null
  /** The text before the button's address, for readers whose button does not work. */
  buttonHelp: string
  /** The small print below the line. */
  notes: string[]
}

/** The facts available to every letter. */
export interface LetterContext {
  to: string
  language: Language
  brand: string
  publicUrl: URL
  secrets: Secrets
  /** The document of the payment is attached. */
  isAttached: boolean
}

/** The fields that each letter's text supplies. */
type LetterDraft = Omit<Letter, 'buttonHelp'>
/** Writes a letter of a kind in both languages. */
export type Writer<T extends Template> = (
  data: Letters[T],
  context: LetterContext,
) => Record<Language, () => LetterDraft>

/**
 * The text part: for mail programs without HTML, and for spam filters, which distrust letters without one.
 */
export function textOf(letter: Letter, brand: string): string {
  const facts = letter.facts.map(({ label, value }) => `${label}: ${value}`).join('\n')
  const button = letter.button === null ? '' : `${letter.button.label}:\n${letter.button.href}`
  const blocks = [letter.heading, ...letter.paragraphs, facts, button, letter.notes.join('\n')]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n\n-- \n${brand}\n`
}
