/** Traffic to the byte, as people read it. */
import { numberFormat, withoutBreaks } from './amounts.ts'
import type { Language } from './language.ts'

const byteUnits = { ru: 'Б', en: 'B' } as const

/** Traffic to the byte: `4 999 999 015 Б`; below zero with its sign. */
export const bytesIn = (bytes: bigint, language: Language): string =>
  `${bytes < 0n ? '\u2212' : ''}${withoutBreaks(numberFormat(language, {}).format(bytes < 0n ? -bytes : bytes))}\u00a0${byteUnits[language]}`

/** The same to the byte, where the 2 decimals of `trafficIn` leave something out: `4 999 999 015 Б`. */
export function exactBytesIn(bytes: bigint, language: Language): string | null {
  let size = 1n
  while (size < 10n ** 15n && bytes >= size * 1000n) size *= 1000n
  if (bytes <= 0n || (bytes * 100n) % size === 0n) return null
  return bytesIn(bytes, language)
}
