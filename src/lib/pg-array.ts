/** The type of the elements, by its number in every PostgreSQL. */
const int8 = 20
const headerBytes = 20
const elementBytes = 12

/**
 * An array for `${bigintArray(ids)}::bigint[]`, in the binary form that PostgreSQL takes in place of text. The driver
 * inspects and quotes every element, which is most of the time of sending 20,000 numbers; numbers as text cost both sides
 * three times as much as these.
 */
export function bigintArray(values: readonly (bigint | number)[]): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + elementBytes * values.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  // One dimension, or none when it is empty; no nulls.
  view.setInt32(0, values.length === 0 ? 0 : 1)
  view.setInt32(4, 0)
  view.setInt32(8, int8)
  // Elements, and the number of the first.
  view.setInt32(12, values.length)
  view.setInt32(16, 1)
  let at = headerBytes
  for (const value of values) {
    const wide = BigInt(value)
    if (BigInt.asIntN(64, wide) !== wide) throw new RangeError(`${value} is no number of 64 bits`)
    view.setInt32(at, 8)
    view.setBigInt64(at + 4, wide)
    at += elementBytes
  }
  return values.length === 0 ? bytes.subarray(0, 12) : bytes
}
