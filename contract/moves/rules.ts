/**
 * Rules of moved gigabytes that the server and the pages share. Bytes are bigint, prices micro-USD per GB.
 */

/** The minimum of a move, which is in whole megabytes. */
export const leastMoveMb = 100
export const mostMoveMb = 100_000_000
export const bytesPerMb = 1_000_000n

/**
 * After a change of what protects the account, and from a new device, network or country, gifts are on hold
 * for this long.
 */
export const moveHoldHours = 72
/** The minimum age of an account that gives traffic away. */
export const moveAgeDays = 7

const bytesPerGb = 1_000_000_000n

/**
 * The bytes of another pool that these bytes are exchanged for, rounded down. They are worth what these cost
 * before discounts, but no more than what was paid for them, so that traffic bought at a discount cannot buy
 * another pool below its price.
 */
export function exchangedBytes(
  bytes: bigint,
  { fromMicros, toMicros, paidMicros }: { fromMicros: bigint; toMicros: bigint; paidMicros: bigint },
): bigint {
  if (fromMicros <= 0n || toMicros <= 0n || paidMicros <= 0n) return 0n
  const listed = bytes * fromMicros
  const paid = paidMicros * bytesPerGb
  return (listed < paid ? listed : paid) / toMicros
}
