/**
 * Messages to the operator about faults in a description, a file or the shop: the sentence of each code in
 * both languages, gathered from the subjects. `{name}` is replaced by a fact. The terminal shows English, the
 * desk the language of the member.
 */
import type { Language } from '../language.ts'
import { exitFaults } from './exits/faults.ts'
import { rateFaults } from './rates/faults.ts'
import { importFaults } from './places/faults.ts'
import { checkFaults } from './checks/faults.ts'
import { connectionFaults } from './settings/faults.ts'

export const faults = {
  ...exitFaults,
  ...rateFaults,
  ...importFaults,
  ...checkFaults,
  ...connectionFaults,
} as const satisfies Record<string, Record<Language, string>>

export type FaultCode = keyof typeof faults

/** A fact that reads differently in the two languages. */
type InBoth = Readonly<Record<Language, string>>
export type FaultFacts = Readonly<Record<string, string | number | InBoth>>

/** A message: its code and its facts. */
export interface Said {
  code: FaultCode
  /** If there are `line` and `column`, they are put before the sentence. */
  facts: FaultFacts
}

const prefixes = {
  column: { en: 'Line {line}, column {column}: ', ru: 'Строка {line}, столбец {column}: ' },
  line: { en: 'Line {line}: ', ru: 'Строка {line}: ' },
} as const

/** A sentence in a language. */
export function sentenceOf({ code, facts }: Said, language: Language): string {
  const place = 'column' in facts ? prefixes.column : 'line' in facts ? prefixes.line : null
  const text = (place?.[language] ?? '') + faults[code][language]
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const fact = facts[name]
    return fact === undefined ? whole : String(typeof fact === 'object' ? fact[language] : fact)
  })
}
