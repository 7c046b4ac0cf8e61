/** The smaller and the larger of two integers: Math.min and Math.max take no bigint. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)
