/**
 * Ids of proxy users. To a gateway a proxy user holds leases like an access, so both share one space of ids.
 * The id of a proxy user contains the id of its access, which pays, so no table is needed to find the access.
 * The table `proxy_user` computes the same ids, and `is_reserved_user` reads them.
 */

const first = 1n << 62n
const numberBits = 34n
/** Set in the ids of proxy users with a reserve of their own. */
const reservedBit = 1n << 33n

/** The largest number of a proxy user within its access. */
export const mostNumber = reservedBit - 1n

export const isProxyUserId = (id: bigint): boolean => id >= first

/** The id of the access that pays for this holder: the holder itself, or the access of the proxy user. */
export const payerOf = (id: bigint): bigint => (id < first ? id : (id - first) >> numberBits)

/** Whether a proxy user spends a reserve of its own, and nothing of the balance of its access. */
export const isReservedUserId = (id: bigint): boolean => id >= first && (id & reservedBit) !== 0n

/** The id of the proxy user with this number, 1 to `mostNumber`. */
export const proxyUserId = (accessId: bigint, nr: bigint, isReserved = false): bigint =>
  first + (accessId << numberBits) + (isReserved ? reservedBit : 0n) + nr

/**
 * Whether a login has the form of a proxy user's, which no customer's has: it begins with a vowel, or it was
 * chosen and has a dot.
 */
export { isUserLogin as isProxyUserLogin } from '#contract/proxy-users/rules'
