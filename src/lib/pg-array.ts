/**
 * Arrays for PostgreSQL in the binary format: headers are OIDs of element types, then each element with its
 * length.
 */

const int8 = 20
const text = 25
const headerBytes = 20
const elementBytes = 12
const lengthBytes = 4

/** The header of an array with one dimension, or none when it is empty. */
function writeHeader(
  bytes: Buffer,
  { type, count, hasNulls }: { type: number; count: number; hasNulls: boolean },
) {
  bytes.writeInt32BE(count === 0 ? 0 : 1, 0)
  bytes.writeInt32BE(hasNulls ? 1 : 0, 4)
  bytes.writeInt32BE(type, 8)
  if (count === 0) return bytes.subarray(0, 12)
  // The number of elements, and the index of the first.
  bytes.writeInt32BE(count, 12)
  bytes.writeInt32BE(1, 16)
  return bytes
}

/**
 * An array for `${bigintArray(ids)}::bigint[]`, in the binary format, which PostgreSQL accepts instead of
 * text. The driver inspects and quotes every element of an array, which takes most of the time of sending
 * 20,000 numbers; as text they cost both sides three times as much.
 */
export function bigintArray(values: readonly (bigint | number | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + elementBytes * values.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = headerBytes
  let hasNulls = false
  for (const value of values) {
    if (value === null) {
      hasNulls = true
      view.setInt32(at, -1)
      at += lengthBytes
      continue
    }
    const wide = BigInt(value)
    if (BigInt.asIntN(64, wide) !== wide) throw new RangeError(`${value} is not a 64-bit integer`)
    view.setInt32(at, 8)
    view.setBigInt64(at + lengthBytes, wide)
    at += elementBytes
  }
  return writeHeader(bytes.subarray(0, at), { type: int8, count: values.length, hasNulls })
}

/** An array for `${textArray(names)}::text[]`, for the same reason. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let size = headerBytes
  for (const value of values) size += lengthBytes + (value === null ? 0 : Buffer.byteLength(value))
  const bytes = Buffer.allocUnsafe(size)
  let at = headerBytes
  let hasNulls = false
  for (const value of values) {
    const written = value === null ? 0 : bytes.write(value, at + lengthBytes)
    if (value === null) hasNulls = true
    bytes.writeInt32BE(value === null ? -1 : written, at)
    at += lengthBytes + written
  }
  return writeHeader(bytes, { type: text, count: values.length, hasNulls })
}
