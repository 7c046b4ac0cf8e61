/** When a customer is told of traffic that runs out: the rules, without a database. */

/** `fifth`: at most 20 per cent are left; `twentieth`: at most 5; `out`: nothing. */
export const shareLevels = ['fifth', 'twentieth', 'out'] as const
export type ShareLevel = (typeof shareLevels)[number]

/** How little is left of what there was after the last credit; null: more than a fifth. */
export function shareLeft(bytes: bigint, creditedBytes: bigint): ShareLevel | null {
  if (bytes <= 0n) return 'out'
  if (bytes * 20n <= creditedBytes) return 'twentieth'
  return bytes * 5n <= creditedBytes ? 'fifth' : null
}

/** The hours until nothing is left at the rate of the last 24 hours, rounded down; null: nothing was used. */
export function hoursLeft(bytes: bigint, usedInDay: bigint): number | null {
  return usedInDay <= 0n ? null : Number((bytes * 24n) / usedInDay)
}
