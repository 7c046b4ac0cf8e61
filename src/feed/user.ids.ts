/**
 * Ids of proxy users. To a gateway a proxy user holds leases like an access, so both share one space of ids.
 * The id of a proxy user contains the id of its access, which pays, so no table is needed to find the access.
 * The table `proxy_user` computes the same ids.
 */

const first = 1n << 62n
const numberBits = 34n

/** The largest number of a proxy user within its access. */
export const mostNumber = (1n << numberBits) - 1n

export const isProxyUserId = (id: bigint): boolean => id >= first

/** The id of the access that pays for this holder: the holder itself, or the access of the proxy user. */
export const payerOf = (id: bigint): bigint => (id < first ? id : (id - first) >> numberBits)

/** The id of the proxy user with this number, 1 to `mostNumber`. */
export const proxyUserId = (accessId: bigint, nr: bigint): bigint => first + (accessId << numberBits) + nr

/** Whether a login has the form of a proxy user's, which no customer's has: it begins with a vowel. */
export const isProxyUserLogin = (login: string): boolean => /^u[b-df-hj-km-np-tv-xz2-9]{11}$/.test(login)
