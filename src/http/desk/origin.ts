/**
 * What the desk requires of a request before it is read: an address that DESK_ALLOW names, and, for changes,
 * a page of the desk as the sender. The cookie is SameSite=Strict; this also refuses the shop's own pages,
 * which are the same site under another port or host.
 */
import type { FastifyRequest } from 'fastify'
import { type Cidr, isWithin } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { isSentFrom } from '#lib/url'

/**
 * Refuses with `not_allowed_here` an address outside of the networks; without networks every address may
 * come.
 */
export function refuseOtherNetworks(request: FastifyRequest, networks: readonly Cidr[]): void {
  if (networks.length > 0 && !isWithin(networks, request.ip)) throw new Refusal('not_allowed_here')
}

/**
 * Refuses with `wrong_origin` what another site or origin sends. Sec-Fetch-Site is `none` for an address that
 * a person typed.
 */
export function refuseOtherOrigins(request: FastifyRequest, deskUrl: URL): void {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const isOwn =
    request.method === 'GET'
      ? (origin === undefined || origin === deskUrl.origin) &&
        (site === undefined || site === 'same-origin' || site === 'none')
      : isSentFrom(deskUrl, request.headers)
  if (!isOwn) throw new Refusal('wrong_origin', { url: deskUrl.href })
}
