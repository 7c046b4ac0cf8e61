/** How much a purse asks for, and how long it waits. */

export const FIRST_WANT_BYTES = 256 * 1024
const LARGEST_WANT_BYTES = 64 * 1024 * 1024
/** A grant used up faster than this doubles the next one. */
const QUICK_MS = 200
const SLOW_MS = 2000
const IDLE_CLOSE_MS = 1000
const IDLE_KEEP_MS = 60_000
export const IDLE_RECALL_MS = 100
/** A lease that is called back while in use goes back after this long; its user then asks anew, for less. */
export const BUSY_RECALL_MS = 500
/** After "nothing left" new tunnels are turned away this long without asking again. */
export const DRY_MS = 50
/** After a grant of nothing we ask ahead of need only this much later. */
export const NOTHING_GRANTED_MS = 100
export const RETRY_AFTER_FAULT_MS = 250

/**
 * How long a lease may lie idle. Where leases are to outlast a server that is away they are kept for longer, and while
 * it is away, for good; who needs the bytes elsewhere calls them back.
 */
export function idleCloseMs(isAway: (() => boolean) | undefined): number {
  if (isAway === undefined) return IDLE_CLOSE_MS
  return isAway() ? Infinity : IDLE_KEEP_MS
}

/** How much to ask for next, when so much was asked for last and granted so long ago. */
export function wantAfter(wantBytes: number, sinceGrantMs: number): number {
  if (sinceGrantMs < QUICK_MS) return Math.min(wantBytes * 2, LARGEST_WANT_BYTES)
  return sinceGrantMs > SLOW_MS ? Math.max(wantBytes / 2, FIRST_WANT_BYTES) : wantBytes
}
