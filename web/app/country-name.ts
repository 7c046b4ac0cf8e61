import type { Language } from '../ui/format.ts'

/** Engines disagree about these, spell them without «ё», or name them longer than anybody does. */
const ours: Record<string, Record<Language, string>> = {
  AE: { ru: 'ОАЭ', en: 'United Arab Emirates' },
  US: { ru: 'США', en: 'United States' },
  GB: { ru: 'Великобритания', en: 'United Kingdom' },
  HK: { ru: 'Гонконг', en: 'Hong Kong' },
  MO: { ru: 'Макао', en: 'Macao' },
  PS: { ru: 'Палестина', en: 'Palestine' },
}

const made = new Map<Language, Intl.DisplayNames>()

/** The engine's names, made when first asked for: no page pays for names it does not show. */
function namesIn(language: Language): Intl.DisplayNames {
  const known = made.get(language)
  if (known !== undefined) return known
  const fresh = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  made.set(language, fresh)
  return fresh
}

/**
 * A country's name in the reader's language by its two-letter code; the given name where the code has none. Not for
 * pages that a server wrote: those show the name the server gave, since browsers differ in theirs.
 */
export function countryName(code: string, language: Language, otherwise: string = code): string {
  const upper = code.toUpperCase()
  const own = ours[upper]
  if (own !== undefined) return own[language]
  return /^[A-Z]{2}$/.test(upper) ? (namesIn(language).of(upper) ?? otherwise) : otherwise
}
