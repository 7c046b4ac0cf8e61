/** The two languages of the product, and the codes by which profiles and calls name them. */
export const languages = ['ru', 'en'] as const
export type Language = (typeof languages)[number]

export const languageCodes = ['rus', 'eng'] as const
export type LanguageCode = (typeof languageCodes)[number]

/** `rus` is Russian, anything else English. */
export function languageOfCode(code: string): Language {
  return code === 'rus' ? 'ru' : 'en'
}

export function codeOfLanguage(language: Language): LanguageCode {
  return language === 'ru' ? 'rus' : 'eng'
}
