import type { IncomingHttpHeaders } from 'node:http'

/** The port of an http or https address: a URL has none when it is the usual one. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/**
 * Whether the headers of a changing request name a page of this origin as its sender. Browsers send Origin
 * with every POST (Fetch standard, section 3.2), so a request without it is not from one.
 */
export function isSentFrom({ origin }: URL, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return headers.origin === origin && (site === undefined || site === 'same-origin')
}
