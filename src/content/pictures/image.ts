/** Recognises pictures by their first bytes, never by a file's name or the sender's claim. */

const ascii = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to))

/**
 * The content type of a picture, or null. SVG is not accepted: it is a document that can contain scripts. PNG
 * (RFC 2083), JPEG (ITU-T T.81), GIF 87a and 89a, WebP (RFC 9649), AVIF (ISO/IEC 14496-12 brands avif, avis).
 */
export function imageType(bytes: Uint8Array): string | null {
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (ascii(bytes, 0, 3) === '\xff\xd8\xff') return 'image/jpeg'
  if (/^GIF8[79]a/.test(ascii(bytes, 0, 6))) return 'image/gif'
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return 'image/webp'
  if (ascii(bytes, 4, 8) === 'ftyp' && isAvif(bytes)) return 'image/avif'
  return null
}

/** The major brand or one of the compatible ones is AVIF's; the box begins with its size. */
function isAvif(bytes: Uint8Array): boolean {
  const size = Math.min(
    new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0),
    bytes.length,
    256,
  )
  for (let at = 8; at + 4 <= size; at += 4) {
    // At offset 12 is the minor version, which is not a brand.
    if (at !== 12 && /^avi[fs]$/.test(ascii(bytes, at, at + 4))) return true
  }
  return false
}
