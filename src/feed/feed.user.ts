/** Proxy users as gateways know them. */

/**
 * What a customer allows a proxy user, besides its limits on bytes, which leases keep, and on connections.
 */
export interface FeedUser {
  /** The login of the account: what is announced of that concerns the proxy user too. */
  parent: string
  frozen: boolean
  /** Epoch milliseconds; null: it does not expire. */
  expires_ms: number | null
  /** Patterns like those of `FeedLimits`; an empty list allows what the account may open. */
  allowed_hosts: string[]
  /** Of the exits; an empty list allows all. */
  countries: string[]
  /** Addresses and networks of clients; an empty list allows all. */
  addresses: string[]
}

/**
 * What leaves a proxy user no bytes: a limit of its own, in days and months of the shop, or that it is frozen
 * or expired.
 */
export type UserLimit = 'user_total' | 'user_day' | 'user_month' | 'user_off'
