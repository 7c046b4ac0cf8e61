/** The smaller and the larger of two integers: Math.min and Math.max take no bigint. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * The id that the text spells in digits; null when it spells none. An id has at most 18 digits, so that it
 * fits into an int8 of the database.
 */
export const parseId = (text: string): bigint | null => (/^\d{1,18}$/.test(text) ? BigInt(text) : null)
