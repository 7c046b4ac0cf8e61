/** Amounts of traffic as sellers write them, exactly as bytes. Pure. */

export const decimalGb = 1_000_000_000n
export const binaryGb = 2n ** 30n

const amountPattern = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i

/**
 * A number of units, as a number or as decimal text, in bytes, rounded half up. A number is read as its
 * shortest decimal (32.6, not 32.60000000000000142), because sellers print decimals. Null: not an amount.
 */
export function bytesIn(amount: number | string, unitBytes: bigint): bigint | null {
  const [, sign = '', whole, fraction = '', exponent = '0'] = amountPattern.exec(String(amount).trim()) ?? []
  if (whole === undefined) return null
  const shift = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction) * unitBytes
  const bytes =
    shift >= 0
      ? digits * 10n ** BigInt(shift)
      : (2n * digits + 10n ** BigInt(-shift)) / (2n * 10n ** BigInt(-shift))
  return sign === '' ? bytes : -bytes
}

/**
 * The UTC day of a time as a seller writes it: RFC 3339, or a day and a time without a zone, which is taken
 * for UTC. Null: not a time.
 */
export function dayOf(text: string): string | null {
  const [, day = '', time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?(Z|[+-]\d{2}:?\d{2})?$/.exec(
      text.trim(),
    ) ?? []
  const at = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? null : new Date(at).toISOString().slice(0, 10)
}
