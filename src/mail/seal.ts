/** The tokens of links are sealed while they wait in the database: a reader of the table or a backup cannot use them. */
import type { Secrets } from '#lib/secret'

const aboutToken = (to: string) => `token in a letter to ${to}`

/** Seals the token of a letter's link; it opens only in a letter to the same address. */
export function sealToken(secrets: Secrets, token: string, to: string): string {
  return secrets.seal(token, aboutToken(to)).toString('base64url')
}

/** The token again; throws SealBroken when SECRET_KEY or the address is another one. */
export function openToken(secrets: Secrets, sealed: string, to: string): string {
  return secrets.open(Buffer.from(sealed, 'base64url'), aboutToken(to))
}
