/**
 * Recovery codes: ten, each of which stands in for the second factor once. A code has 120 random bits, so a
 * plain SHA-256 is enough to store (OWASP ASVS 5.0, 6.5.2).
 */
import { randomText, sha256 } from '#lib/secret'

const count = 10
/** base32 (RFC 4648) in lower case. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** The stored form of a code, however it was typed. */
export const recoveryDigest = (code: string): Buffer =>
  sha256(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))

/** Ten new codes in groups of six characters, to be shown once, with their digests. */
export function drawRecoveryCodes(): { code: string; digest: Buffer }[] {
  return Array.from({ length: count }, () => {
    const code = randomText(24, alphabet)
    return { code: (code.match(/.{6}/g) ?? []).join('-'), digest: recoveryDigest(code) }
  })
}
