import { resellerTokenPrefix } from '#contract/wire'

/** The token of `Authorization: Bearer <token>` (RFC 6750), or null. */
export function bearer(header: string | undefined): string | null {
  return /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(header ?? '')?.[1] ?? null
}

/** Does the request carry what looks like a reseller's token? Whether it is a good one is decided elsewhere. */
export function bearsResellerToken(header: string | undefined): boolean {
  return bearer(header)?.startsWith(resellerTokenPrefix) === true
}
