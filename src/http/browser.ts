/**
 * The cookie that identifies a browser: a secret for each account that was signed in to with it. Scripts
 * cannot read it.
 */
import type { FastifyRequest } from 'fastify'
import type { Browser } from '#db/call'
import { lastingCookieField, tokensInCookies } from '#lib/cookie'

const cookie = 'turnpike-device'

/** Reads the secrets of a browser from its request, and sets the cookie. */
export function browserOf({ headers }: FastifyRequest, site: URL): Browser {
  const devices = tokensInCookies(headers.cookie, cookie, site)
  return { devices, cookieWith: (secret) => lastingCookieField([secret, ...devices], cookie, site) }
}
