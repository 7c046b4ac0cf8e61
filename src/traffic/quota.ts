import { least, most } from '#lib/bigint'
import { kib } from '#lib/bytes'

/** Smaller leases than this cost more round trips than they are worth. */
const smallestLeaseBytes = 64n * kib

/** What a gateway asks for, and what it and others hold of the same account. */
export interface Demand {
  /** What no lease holds. */
  freeBytes: bigint
  wantBytes: bigint
  /** What is left of its own lease. */
  ownBytes: bigint
  /** What is left of the leases of other living gateways. */
  othersBytes: bigint
  /** Between how many gateways it is shared, this one included. */
  holders: number
}

/**
 * How much a gateway gets. Each holder is filled up to an equal share of what all living ones could spend, and one share stays
 * free for the next one; so leases shrink as the balance nears its end. Something is granted while something is free, and
 * never more than that.
 */
export function grantOf({ freeBytes, wantBytes, ownBytes, othersBytes, holders }: Demand): bigint {
  if (freeBytes <= 0n) return 0n
  const share = (freeBytes + ownBytes + othersBytes) / BigInt(holders + 1)
  const fair = most(share - ownBytes, smallestLeaseBytes)
  return least(most(wantBytes, smallestLeaseBytes), least(fair, freeBytes))
}
