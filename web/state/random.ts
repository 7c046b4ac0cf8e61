/**
 * Random bytes as hexadecimal digits, two a byte. `crypto.randomUUID` exists on secure origins only; this
 * always works.
 */
export function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
