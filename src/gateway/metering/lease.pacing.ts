/** How much an account lease asks for, and how long it waits. */

export const FIRST_WANT_BYTES = 256 * 1024
const LARGEST_WANT_BYTES = 64 * 1024 * 1024
/** A grant that is used up within this time doubles the next one; one that lasts longer than `SLOW_MS` halves it. */
const QUICK_MS = 200
const SLOW_MS = 2000
const IDLE_CLOSE_MS = 1000
const IDLE_KEEP_MS = 60_000
/** A recalled lease is given back when it was idle this long. */
export const IDLE_RECALL_MS = 100
/** A recalled lease in use is given back this long after the recall; its user then asks again, for less. */
export const BUSY_RECALL_MS = 500
/** After "nothing left" new tunnels are refused this long without asking again. */
export const EXHAUSTED_MS = 50
/** After a grant of nothing the next request ahead of need waits this long. */
export const NOTHING_GRANTED_MS = 100
export const RETRY_AFTER_FAULT_MS = 250

/**
 * How long a lease may be idle before it is given back. Where leases are to outlast an absence of the server they are kept
 * longer, and while it is away until the end; a gateway that needs the bytes has them recalled.
 */
export function idleCloseMs(isAway: (() => boolean) | undefined): number {
  if (isAway === undefined) return IDLE_CLOSE_MS
  return isAway() ? Infinity : IDLE_KEEP_MS
}

/** How much to ask for next, after `wantBytes` the last time and a grant so long ago. */
export function nextWant(wantBytes: number, sinceGrantMs: number): number {
  if (sinceGrantMs < QUICK_MS) return Math.min(wantBytes * 2, LARGEST_WANT_BYTES)
  return sinceGrantMs > SLOW_MS ? Math.max(wantBytes / 2, FIRST_WANT_BYTES) : wantBytes
}
