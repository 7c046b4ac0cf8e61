/**
 * Version 4 UUIDs (RFC 9562). Those of `node:crypto` are ropes of some fifteen strings that are never
 * flattened, more memory for each open tunnel than its counters need; these are flat strings.
 */

import { randomFillSync } from 'node:crypto'

const ID_BYTES = 16
const random = Buffer.allocUnsafeSlow(256 * ID_BYTES)
let used = random.length

const DASH = 45
const DIGITS = Buffer.from('0123456789abcdef')
const text = Buffer.alloc(36, DASH)
/** Position in the text of the two digits of each byte. */
const POSITIONS = Array.from({ length: ID_BYTES }, (_, index) => {
  const dashes = [4, 6, 8, 10].filter((before) => index >= before).length
  return index * 2 + dashes
})

export function requestId(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  for (let index = 0; index < ID_BYTES; index++) {
    let byte = random[used++] ?? 0
    if (index === 6) byte = (byte & 0x0f) | 0x40
    else if (index === 8) byte = (byte & 0x3f) | 0x80
    const at = POSITIONS[index] ?? 0
    text[at] = DIGITS[byte >> 4] ?? DASH
    text[at + 1] = DIGITS[byte & 15] ?? DASH
  }
  return text.toString('latin1')
}
