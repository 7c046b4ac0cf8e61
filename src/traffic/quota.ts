import { least, most } from '#lib/bigint'
import { kib, mib } from '#lib/bytes'

/** While this much is free, gateways get what they ask for. */
const plentyBytes = 100n * mib
/** Below that no gateway holds more than this at a time, so that several can spend the end of a balance. */
const scarceLeaseBytes = mib
/** Smaller leases than this cost more round trips than they are worth. */
const smallestLeaseBytes = 64n * kib

/**
 * How much of `freeBytes` (what no lease holds yet) a gateway that wants `wantBytes` gets: a quarter of it at most,
 * so that leases shrink as the balance nears its end, and never more than there is.
 */
export function grantOf({ freeBytes, wantBytes }: { freeBytes: bigint; wantBytes: bigint }): bigint {
  if (freeBytes <= 0n) return 0n
  const want = most(wantBytes, smallestLeaseBytes)
  const quarter = freeBytes / 4n
  const ceiling = freeBytes >= plentyBytes ? quarter : least(quarter, scarceLeaseBytes)
  return most(least(want, ceiling), least(freeBytes, smallestLeaseBytes))
}
