/** The cookie of a session at the desk (RFC 6265bis). */

/** On https only `__Host-` is believed: a cookie of that name was set by this host itself, over TLS. */
export const cookieName = (deskUrl: URL): string =>
  deskUrl.protocol === 'https:' ? '__Host-turnpike-desk' : 'turnpike-desk'

/** The token in a Cookie field; null: there is none, or two. */
export function tokenIn(cookies: string | undefined, deskUrl: URL): string | null {
  const start = `${cookieName(deskUrl)}=`
  const values = (cookies ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length))
  const [only] = values
  return values.length === 1 && only !== undefined && /^[\w-]{43}$/.test(only) ? only : null
}

/** The Set-Cookie field that gives a browser its token; null takes it away. It ends with the browser's session. */
export function cookieField(token: string | null, deskUrl: URL): string {
  const secure = deskUrl.protocol === 'https:' ? '; Secure' : ''
  const life = token === null ? '; Max-Age=0' : ''
  return `${cookieName(deskUrl)}=${token ?? ''}; Path=/; HttpOnly; SameSite=Strict${secure}${life}`
}
