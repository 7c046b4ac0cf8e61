/** The OID of the element type. */
const int8 = 20
const headerBytes = 20
const elementBytes = 12

/**
 * An array for `${bigintArray(ids)}::bigint[]`, in the binary format, which PostgreSQL accepts instead of text. The
 * driver inspects and quotes every element of an array, which takes most of the time of sending 20,000 numbers; as text
 * they cost both sides three times as much.
 */
export function bigintArray(values: readonly (bigint | number)[]): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + elementBytes * values.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  // One dimension, or none when the array is empty; no nulls.
  view.setInt32(0, values.length === 0 ? 0 : 1)
  view.setInt32(4, 0)
  view.setInt32(8, int8)
  // The number of elements, and the index of the first.
  view.setInt32(12, values.length)
  view.setInt32(16, 1)
  let at = headerBytes
  for (const value of values) {
    const wide = BigInt(value)
    if (BigInt.asIntN(64, wide) !== wide) throw new RangeError(`${value} is not a 64-bit integer`)
    view.setInt32(at, 8)
    view.setBigInt64(at + 4, wide)
    at += elementBytes
  }
  return values.length === 0 ? bytes.subarray(0, 12) : bytes
}
