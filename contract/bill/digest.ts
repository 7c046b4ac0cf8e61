/** SHA-256 in hexadecimal digits, in the browser and in Node.js. */

export const hexLength = 64

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const bytesOf = (hex: string): number[] => (hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16))

/** Of a text, or of bytes. */
export async function sha256(content: string | readonly number[]): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content)
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Parses a hash that a person typed or pasted; null: the text is not a hash. */
export function hashFromText(text: string): string | null {
  const hash = text.trim().toLowerCase()
  return /^[0-9a-f]{64}$/.test(hash) ? hash : null
}
