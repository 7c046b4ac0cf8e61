/**
 * Amounts in other currencies than USD: the server charges and freezes them, and the browser shows prices,
 * with these functions. All are whole millionths of a unit; a rate is millionths of a currency for one USD.
 * No amount passes through a floating-point number.
 */
const million = 1_000_000n

/** The currency of all prices, balances and books. */
export const baseCurrency = 'USD'

/** A currency in which the shop shows prices, with its rate. */
export interface ShownCurrency {
  code: string
  /** Decimal places of its smallest unit. */
  digits: number
  /** Decimal text: units of the currency for one USD. */
  per_usd: string
  /** The day of the rate, YYYY-MM-DD. */
  on: string
}

/** The maximum rate: above that of any currency, and small enough that no order overflows. */
export const mostPerUsdMicros = 9_999_999_999_999n

/**
 * Parses a rate such as "92.50"; null: the text is no number, is zero, has more than six decimals or is too
 * large.
 */
export function parseRate(text: string): bigint | null {
  const match = /^(\d{1,7})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return null
  const [, whole = '0', fraction = ''] = match
  const micros = BigInt(whole) * million + BigInt(fraction.padEnd(6, '0'))
  return micros === 0n ? null : micros
}

/** The inverse, with at least two decimals: "92.50", "0.9213". */
export function printRate(perUsdMicros: bigint): string {
  const fraction = String(perUsdMicros % million).padStart(6, '0')
  return `${perUsdMicros / million}.${fraction.replace(/0{1,4}$/, '')}`
}

/**
 * Converts an amount of USD, rounded half up to the smallest unit of the currency: the error is at most half
 * of that unit, in either direction. Callers convert sums as a whole and never add up converted parts.
 */
export function convert(usdMicros: bigint, perUsdMicros: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(6 - digits)
  const scale = million * unit
  return ((usdMicros * perUsdMicros + scale / 2n) / scale) * unit
}

/** The micro-USD of an amount in another currency, rounded half up. */
export const inUsd = (micros: bigint, perUsdMicros: bigint): bigint =>
  (micros * million * 2n + perUsdMicros) / (2n * perUsdMicros)

/** The decimal places of a currency's smallest unit: usually 2, 0 for JPY, 3 for KWD. */
export const digitsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

let known: ReadonlySet<string> | undefined

/**
 * Whether this is the ISO 4217 code of a currency other than USD. Codes of metals, funds and tests, which
 * begin with X, are not.
 */
export function isForeignCurrency(code: string): boolean {
  known ??= new Set(Intl.supportedValuesOf('currency'))
  const isMoney = !code.startsWith('X') || moneyWithX.has(code)
  return code !== baseCurrency && isMoney && known.has(code) && digitsOf(code) <= 6
}

/** Real currencies whose codes begin with X, because several countries share them. */
const moneyWithX: ReadonlySet<string> = new Set(['XAF', 'XCD', 'XCG', 'XOF', 'XPF'])
