import type { Feed } from '#feed'

/** A lease of this boot that is open, and what is left of it by the reports that were made. */
export interface KeptLease {
  account: bigint
  lease: bigint
  bytes: number
}

export interface PurseOptions {
  feed: Pick<Feed, 'lease'>
  identity: { gateway: string; boot: string }
  /** Monotonic milliseconds. */
  now: () => number
  onFault?: (fault: unknown) => void
  /** Set where leases are kept while the server is away: whether it is. */
  isAway?: () => boolean
}
