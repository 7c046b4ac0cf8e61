import { least, most } from '#lib/bigint'
import { kib } from '#lib/bytes'

/** The smallest grant: smaller ones would cause too many round trips. */
const smallestLeaseBytes = 64n * kib

/** The request of a gateway, and the bytes that it and others hold of the same account. */
export interface Demand {
  /** The balance less all leases. */
  freeBytes: bigint
  wantBytes: bigint
  /** What is left of its own lease. */
  ownBytes: bigint
  /** What is left of the leases of other live gateways. */
  othersBytes: bigint
  /** The number of gateways that share the account, including this one. */
  holders: number
}

/**
 * The number of bytes granted to a gateway. Each holder gets up to an equal share of the bytes that all live
 * holders could spend, and one share stays free for the next holder, so leases shrink as the balance nears
 * its end. Bytes are granted while any are free, and never more than are free.
 */
export function grantOf({ freeBytes, wantBytes, ownBytes, othersBytes, holders }: Demand): bigint {
  if (freeBytes <= 0n) return 0n
  const share = (freeBytes + ownBytes + othersBytes) / BigInt(holders + 1)
  const fair = most(share - ownBytes, smallestLeaseBytes)
  return least(most(wantBytes, smallestLeaseBytes), least(fair, freeBytes))
}
