/**
 * The languages and widths of the browser tests. `npm test` runs each test in the combination that it names,
 * so that all tests together cover both languages and both widths; `npm run test:long` runs each in all.
 */
import { isLong } from '../size.ts'

type Language = 'ru' | 'en'

/** Only `usual` in `npm test`. */
const walked = <T>(usual: T, all: readonly T[]): readonly T[] => (isLong ? all : [usual])

export const languagesFrom = (usual: Language) => walked<Language>(usual, ['ru', 'en'])

export interface Screen {
  language: Language
  width: number
}

export const screensFrom = (
  usual: Screen,
  { phone, desktop }: { phone: number; desktop: number } = { phone: 390, desktop: 1280 },
): readonly Screen[] =>
  walked(
    usual,
    (['ru', 'en'] as const).flatMap((language) => [phone, desktop].map((width) => ({ language, width }))),
  )
