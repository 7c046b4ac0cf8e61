/**
 * Traffic on the wire. The documented rule for reading it: a number under 10 with a fraction is GB, any other
 * number is MB (1 GB = 10^9 bytes, 1 MB = 10^6). For each value the server chooses the form that this rule
 * reads back to exactly the same bytes.
 */
import { bytesPerGb } from './pools.ts'

const bytesPerMb = 1_000_000n

/** A JSON number; as a string where a double would lose bytes (above 2^53). */
export type TrafficNumber = number | string

/** `bytes / unit` as decimal text without trailing zeros. */
function decimal(bytes: bigint, unit: bigint): string {
  const whole = bytes / unit
  const digits = String(unit).length - 1
  const fraction = String(bytes % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(whole) : `${whole}.${fraction}`
}

/**
 * The wire form of an amount of traffic, 0 or more bytes.
 * 5 GB → 5000 · 5.3 MB → 0.0053 · 12.5 MB → 0.0125 · 12 345.6 MB → 12345.6
 */
export function trafficToWire(bytes: bigint): TrafficNumber {
  if (bytes < 0n) throw new RangeError('traffic on the wire is never negative')
  const asGb = bytes < 10n * bytesPerGb && bytes % bytesPerGb !== 0n
  const text = decimal(bytes, asGb ? bytesPerGb : bytesPerMb)
  const number = Number(text)
  return bytesFromWire(number) === bytes ? number : text
}

/** The bytes of a wire number: the inverse of `trafficToWire`. */
export function bytesFromWire(value: TrafficNumber): bigint {
  const text = typeof value === 'string' ? value : plain(value)
  const [whole = '0', fraction = ''] = text.split('.')
  const isGb = fraction !== '' && Number(whole) < 10
  const digits = isGb ? 9 : 6
  const scaled = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  // Rounded by the first digit cut off: a double near the true value has digits beyond the last byte.
  return scaled + ((fraction[digits] ?? '0') >= '5' ? 1n : 0n)
}

/** A double as decimal text without an exponent, exact to the nearest byte. */
function plain(value: number): string {
  if (!Number.isFinite(value) || value < 0)
    throw new RangeError('traffic on the wire is a finite number of 0 or more')
  if (Number.isInteger(value)) return String(BigInt(value))
  const text = String(value)
  return text.includes('e') ? value.toFixed(20) : text
}

/**
 * "0 GB" for zero, else "12.34 GB" or, under one GB, "812.50 MB"; rounded down, so that it never shows more
 * than there is.
 */
export function trafficText(bytes: bigint): string {
  if (bytes <= 0n) return '0 GB'
  const unit = bytes >= bytesPerGb ? bytesPerGb : bytesPerMb
  const hundredths = (bytes * 100n) / unit
  const fraction = String(hundredths % 100n).padStart(2, '0')
  return `${hundredths / 100n}.${fraction} ${unit === bytesPerGb ? 'GB' : 'MB'}`
}

/**
 * How many times each byte is charged: twice when a state, a city, a zip code or an ASN to use is chosen,
 * else once. Countries and excluded ASNs do not count. Targeting that a line refers to as `set` has to be
 * resolved before.
 */
export function multiplierOf(targeting: {
  states: readonly unknown[]
  cities: readonly unknown[]
  zips: readonly unknown[]
  asns: readonly unknown[]
}): 1 | 2 {
  const { states, cities, zips, asns } = targeting
  return states.length + cities.length + zips.length + asns.length > 0 ? 2 : 1
}

/** How many times each byte is charged where a line names a state, a city, a zip code or an ASN. */
export const targetedMultiplier = multiplierOf({ states: [], cities: [''], zips: [], asns: [] })

/**
 * The GB of payload that bought GB are good for: as many, and half of them where a line names a state, a city, a
 * zip code or an ASN.
 */
export const payloadOf = (gb: number): { plain: number; targeted: number } => ({
  plain: gb / multiplierOf({ states: [], cities: [], zips: [], asns: [] }),
  targeted: gb / targetedMultiplier,
})
