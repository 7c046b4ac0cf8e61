/**
 * The cookie by which a browser is known: a secret for each account that was signed in to with it. No script
 * reads it.
 */
import type { FastifyRequest } from 'fastify'
import type { Browser } from '#db/call'
import { lastingCookieField, tokensInCookies } from '#lib/cookie'

const cookie = 'turnpike-device'

/** What the browser of a request is known by. */
export function browserOf({ headers }: FastifyRequest, site: URL): Browser {
  const devices = tokensInCookies(headers.cookie, cookie, site)
  return { devices, cookieWith: (secret) => lastingCookieField([secret, ...devices], cookie, site) }
}
