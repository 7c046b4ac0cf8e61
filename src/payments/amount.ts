/** Amounts as processors write them: decimal text, read digit by digit. */

/** Millionths from "3237.50"; digits beyond the sixth are cut off. Null: not a plain decimal amount. */
export function microsOf(text: string): bigint | null {
  const match = /^(\d{1,12})(?:\.(\d{1,30}))?$/.exec(text)
  if (match === null) return null
  const [, whole = '0', fraction = ''] = match
  return BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

const centMicros = 10_000n

/** Micro-USD in another currency, rounded half up to its hundredth; `perUsdMicros` are its millionths for one USD. */
export function convert(usdMicros: bigint, perUsdMicros: bigint): bigint {
  const scale = 1_000_000n * centMicros
  return ((usdMicros * perUsdMicros + scale / 2n) / scale) * centMicros
}
