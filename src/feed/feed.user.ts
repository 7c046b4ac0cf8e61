/** Proxy users as gateways know them. */

/**
 * What a customer allows a proxy user, besides its limits on bytes, which leases keep, and on connections.
 */
export interface FeedUser {
  /** The login of the account: announcements about it concern the proxy user too. */
  parent: string
  frozen: boolean
  /** Epoch milliseconds; null: it does not expire. */
  expires_ms: number | null
  /** Patterns like those of `FeedLimits`; an empty list allows what the account may open. */
  allowed_hosts: string[]
  /** Countries of exits that it may use; an empty list allows all. */
  countries: string[]
  /** Countries of exits that it may not use. Missing: none. */
  denied_countries?: string[]
  /**
   * With `denied_countries`: the other countries of the pool by their number of addresses, for exits that
   * choose a country by themselves unless one is named.
   */
  other_countries?: { code: string; count: number }[]
  /** Lines of the double tariff are refused. */
  no_double_tariff?: true
  /** Addresses and networks from which it may connect; an empty list allows all. */
  addresses: string[]
}

/**
 * Why a proxy user has no bytes left: one of its own limits, in days and months of the shop, or it is frozen
 * or expired.
 */
export type UserLimit = 'user_total' | 'user_day' | 'user_month' | 'user_off'
