/**
 * The languages and widths in which a way through the pages is walked. `npm test` walks in the one that a
 * test names, so that all together cover both languages and both widths; `npm run test:long` walks in all.
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
