/** How numbers look in the two languages. Digits are grouped with spaces that do not break. */
export type Language = 'ru' | 'en'

const locales = { ru: 'ru-RU', en: 'en-US' } as const

const made = new Map<string, Intl.NumberFormat>()

/** Formatters are costly to make and asked for on every paint. */
function formatter(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language}${JSON.stringify(options)}`
  const known = made.get(key)
  if (known !== undefined) return known
  const fresh = new Intl.NumberFormat(locales[language], options)
  made.set(key, fresh)
  return fresh
}

/** Ordinary spaces, and the narrow one that some fonts lack, become the non-breaking space. */
const solid = (text: string) => text.replace(/[ \u202f]/g, '\u00a0')

/** US dollars with 2 decimals: `1 234,56 $` and `$1,234.56`. */
export function formatUsd(usd: number, language: Language): string {
  return solid(formatter(language, { style: 'currency', currency: 'USD' }).format(usd))
}

/** A whole number, grouped: `1 234 567` and `1,234,567`. */
export function formatNumber(value: number, language: Language): string {
  return solid(formatter(language, { maximumFractionDigits: 0 }).format(value))
}

/** A share of 1 as a percent without decimals: `15 %` and `15%`. */
export function formatPercent(fraction: number, language: Language): string {
  return solid(formatter(language, { style: 'percent', maximumFractionDigits: 0 }).format(fraction))
}

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const

/**
 * Traffic in the largest unit from B to PB that leaves 1 or more, with 2 decimals, cut and not rounded so that it
 * never shows more than there is; steps of 1000 (1 GB is 10^9 bytes). Nothing is `0 GB`.
 */
export function formatTraffic(bytes: bigint, language: Language): string {
  if (bytes <= 0n) return '0\u00a0GB'
  let unit = 0
  let size = 1n
  while (unit < units.length - 1 && bytes >= size * 1000n) {
    size *= 1000n
    unit += 1
  }
  const hundredths = (bytes * 100n) / size
  const digits = size === 1n ? 0 : 2
  const format = formatter(language, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${solid(format.format(Number(hundredths) / 100))}\u00a0${units[unit]}`
}
