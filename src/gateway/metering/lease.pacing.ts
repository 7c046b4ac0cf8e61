/** The size and the timing of lease requests: docs/decisions/0017-leases-by-time.md. */

/** The smallest request, and the first one of an account whose use is unknown. */
export const FIRST_WANT_BYTES = 16 * 1024 * 1024
/**
 * A lease is filled up to so many seconds of the account's use, and again when less than `REFILL_SECONDS` are
 * left.
 */
const COVERED_SECONDS = 120
const REFILL_SECONDS = 90
/** A lease that holds so many times the target for its account's use is exchanged for a smaller one. */
const SURPLUS_FACTOR = 4
/** A lease that was not used for so long is given back, unless the server is unavailable. */
export const IDLE_CLOSE_MS = 60_000
/** A recalled lease is given back when it was idle this long. */
export const IDLE_RECALL_MS = 100
/** A recalled lease in use is given back this long after the recall; its user then asks again, for less. */
export const BUSY_RECALL_MS = 500
/** Requests that only follow the measured use are so far apart. */
export const FOLLOW_USE_MS = 250
/** After "nothing left" new tunnels are refused this long without asking again. */
export const EXHAUSTED_MS = 50
/** After a grant of nothing the next request ahead of need waits this long. */
export const NOTHING_GRANTED_MS = 100
/** After a failed request, the delay of the next one for waiting tunnels. */
export const RETRY_AFTER_FAULT_MS = 250
/** After a failed request ahead of need, the delay of the next one; it doubles with each further failure. */
const FIRST_AHEAD_RETRY_MS = 500
const LAST_AHEAD_RETRY_MS = 5000

/** The bytes that a lease of an account with this use should hold. */
const targetBytes = (bytesPerSecond: number) => Math.max(bytesPerSecond * COVERED_SECONDS, FIRST_WANT_BYTES)

/** The bytes to request, given the account's use and the remaining bytes. */
export function wantOf(bytesPerSecond: number, remaining: number): number {
  return Math.ceil(Math.max(bytesPerSecond * COVERED_SECONDS - remaining, FIRST_WANT_BYTES))
}

/** Whether what is left no longer covers the account's use for long enough. */
export function isShort(bytesPerSecond: number, remaining: number): boolean {
  return remaining < bytesPerSecond * REFILL_SECONDS
}

export function isSurplus(bytesPerSecond: number, remaining: number): boolean {
  return remaining > SURPLUS_FACTOR * targetBytes(bytesPerSecond)
}

/**
 * The remaining bytes below which more is requested at once. After a partial grant the next request is made
 * sooner.
 */
export function askBelow(remainingAfterGrant: number, isFull: boolean): number {
  return isFull ? remainingAfterGrant / 4 : remainingAfterGrant / 2
}

/** The delay of the next request ahead of need after so many consecutive failures. */
export function aheadRetryMs(failures: number): number {
  const ms = Math.min(FIRST_AHEAD_RETRY_MS * 2 ** (failures - 1), LAST_AHEAD_RETRY_MS)
  return ms * (0.75 + Math.random() / 2)
}
