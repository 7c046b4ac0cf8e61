/**
 * The tokens of links are sealed while a letter waits in the database: a reader of the table or of a backup cannot use
 * them.
 */
import type { Secrets } from '#lib/secret'

const aboutToken = (to: string) => `token in a letter to ${to}`

/** Seals the token of a letter's link; it can be opened only for a letter to the same address. */
export function sealToken(secrets: Secrets, token: string, to: string): string {
  return secrets.seal(token, aboutToken(to)).toString('base64url')
}

/** Opens a sealed token; throws SealBroken when SECRET_KEY or the address differs. */
export function openToken(secrets: Secrets, sealed: string, to: string): string {
  return secrets.open(Buffer.from(sealed, 'base64url'), aboutToken(to))
}
