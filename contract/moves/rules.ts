/** Rules of moved gigabytes that the server and the pages share. Bytes are bigint, prices micro-USD per GB. */

/** Gigabytes are moved in whole megabytes, at least so many. */
export const leastMoveMb = 100
export const mostMoveMb = 100_000_000
export const bytesPerMb = 1_000_000n

/** After a change of the password, the e-mail address or a second factor nothing is given away for so long. */
export const moveHoldHours = 72
/** An account gives nothing away before it is so old. */
export const moveAgeDays = 7

/** The bytes of another pool for these ones at the prices of both: rounded down, so that they are never worth more. */
export function exchangedBytes(bytes: bigint, prices: { fromMicros: bigint; toMicros: bigint }): bigint {
  if (prices.fromMicros <= 0n || prices.toMicros <= 0n) return 0n
  return (bytes * prices.fromMicros) / prices.toMicros
}
