/** The words of commands in Russian and English, in lower case, without accents: «й» is «и», «ё» is «е». */
import type { Pool } from '#contract/wire'

type Session = 'sticky' | 'rotating'
export type Unit = 'lines' | 'minutes' | 'hours'

/** Filler words without a meaning of their own. */
export const fillers: ReadonlySet<string> = new Set(
  (
    'a an and at by do for from get give i in is make me my new no of on please so the to want with ' +
    'без в во где даи для до и из или как мне на нужны по под с сделаи со хочу'
  ).split(' '),
)

const prefixed =
  <T>(table: readonly (readonly [RegExp, T])[]) =>
  (word: string): T | undefined =>
    table.find(([pattern]) => pattern.test(word))?.[1]

/** The unit that a word names, in any of its cases. */
export const unitOf = prefixed<Unit>([
  [/^(lines?|proxy|proxies|x|pcs|строк[аиу]?|строчек|штук[аи]?|шт|прокси)$/, 'lines'],
  [/^(m|mins?|minutes?|м|мин|минут[аыу]?|минутные|минутку)$/, 'minutes'],
  [/^(h|hrs|hours?|ч|час|часа|часов)$/, 'hours'],
])

/** The kind of session that a word names. */
export const sessionOf = prefixed<Session>([
  [/^(sticky|stick|липк\p{L}*|стики|постоянн\p{L}*)$/u, 'sticky'],
  [/^(rotat\p{L}*|rotation|ротац\p{L}*|ротир\p{L}*|сменн\p{L}*)$/u, 'rotating'],
])

/** The pool that a word names; `premium` beside a residential one names the premium pool. */
export const poolOf = prefixed<Pool>([
  [/^(premium|премиум\p{L}*|премиальн\p{L}*)$/u, 'residential_premium'],
  [/^(residential|resi|резидент\p{L}*|резиденц\p{L}*|рези)$/u, 'residential'],
  [/^(datacent(er|re)s?|dc|датацентр\p{L}*|дц|серверн\p{L}*)$/u, 'datacenter'],
  [/^(mobile|lte|4g|мобил\p{L}*)$/u, 'mobile'],
])

/** What people call countries besides their names. */
export const otherNames: Readonly<Record<string, string>> = {
  usa: 'us',
  america: 'us',
  америка: 'us',
  штаты: 'us',
  uk: 'gb',
  england: 'gb',
  britain: 'gb',
  'great britain': 'gb',
  англия: 'gb',
  британия: 'gb',
  uae: 'ae',
  emirates: 'ae',
  эмираты: 'ae',
  holland: 'nl',
  голландия: 'nl',
  korea: 'kr',
  корея: 'kr',
  'южная корея': 'kr',
  юар: 'za',
  'czech republic': 'cz',
  turkey: 'tr',
  турция: 'tr',
  белоруссия: 'by',
  молдавия: 'md',
  киргизия: 'kg',
}
