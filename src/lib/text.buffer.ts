/**
 * Text that is assembled piece by piece as bytes. As strings, a line of twenty pieces would be forty ropes,
 * which the garbage collector and the final write would have to traverse.
 */

const ZERO = 48
const BILLION = 1e9

export class TextBuffer {
  #bytes: Buffer
  #length = 0

  /** `capacity`: bytes at first; it grows as needed. */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(16, capacity))
  }

  get length(): number {
    return this.#length
  }

  /** Appends bytes that were encoded before, such as the name of a field. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Text of ASCII characters only: others would be cut to a byte. */
  ascii(text: string): void {
    this.#reserve(text.length)
    const bytes = this.#bytes
    let at = this.#length
    for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index)
    this.#length = at
  }

  /** Any text, in UTF-8. */
  text(text: string): void {
    // At most three bytes for each unit of UTF-16.
    this.#reserve(text.length * 3)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** A whole number of at most 2^53 − 1, in decimal digits. */
  number(value: number): void {
    if (value < BILLION) {
      if (value >= 0) this.#digits(value, digitsOf(value))
      else this.ascii(String(value))
      return
    }
    // Split at 10^9: parts of 32 bits are divided faster.
    const high = Math.floor(value / BILLION)
    this.number(high)
    this.#digits(value - high * BILLION, 9)
  }

  /** Removes and returns all of the text; with `end`, only its first `end` bytes. */
  take(end = this.#length): string {
    const text = this.#bytes.toString('utf8', 0, end)
    this.#bytes.copyWithin(0, end, this.#length)
    this.#length -= end
    return text
  }

  #digits(value: number, count: number): void {
    this.#reserve(count)
    const bytes = this.#bytes
    this.#length += count
    let rest = value | 0
    for (let left = count, at = this.#length - 1; left > 0; left--, at--) {
      const tenth = (rest / 10) | 0
      bytes[at] = ZERO + rest - tenth * 10
      rest = tenth
    }
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** The number of decimal digits of a number below 10^9. */
function digitsOf(value: number): number {
  let count = 1
  for (let limit = 10; value >= limit; limit *= 10) count++
  return count
}
