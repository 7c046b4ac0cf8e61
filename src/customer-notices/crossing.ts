/** When a customer is notified of low traffic: pure rules. */

/** `fifth`: at most 20 per cent are left; `twentieth`: at most 5; `out`: nothing. */
export const shareLevels = ['fifth', 'twentieth', 'out'] as const
export type ShareLevel = (typeof shareLevels)[number]

/**
 * The lowest level reached, relative to the balance after the last credit; null: more than a fifth is left.
 */
export function shareLeft(bytes: bigint, creditedBytes: bigint): ShareLevel | null {
  if (bytes <= 0n) return 'out'
  if (bytes * 20n <= creditedBytes) return 'twentieth'
  return bytes * 5n <= creditedBytes ? 'fifth' : null
}

/**
 * The hours until the balance is used up at the rate of the last 24 hours, rounded down; null: nothing was
 * used.
 */
export function hoursLeft(bytes: bigint, usedInDay: bigint): number | null {
  return usedInDay <= 0n ? null : Number((bytes * 24n) / usedInDay)
}
