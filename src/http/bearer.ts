import { resellerTokenPrefix } from '#contract/wire'

/** The token of `Authorization: Bearer <token>` (RFC 6750), or null. */
export function bearer(header: string | undefined): string | null {
  return /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(header ?? '')?.[1] ?? null
}

/** Whether the request carries a token in the form of a reseller's; its validity is not checked here. */
export function bearsResellerToken(header: string | undefined): boolean {
  return bearer(header)?.startsWith(resellerTokenPrefix) === true
}
