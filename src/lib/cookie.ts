/** Cookies that only the server reads (RFC 6265bis): HttpOnly, SameSite=Strict, for this host alone. */

/** On https only `__Host-` is believed: a cookie of that name was set by this host itself, over TLS. */
export const cookieName = (name: string, site: URL): string =>
  site.protocol === 'https:' ? `__Host-${name}` : name

/** The token of a cookie in a Cookie field; null: there is none, or two. */
export function tokenInCookies(cookies: string | undefined, name: string, site: URL): string | null {
  const start = `${cookieName(name, site)}=`
  const values = (cookies ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length))
  const [only] = values
  return values.length === 1 && only !== undefined && /^[\w-]{43}$/.test(only) ? only : null
}

/** The Set-Cookie field that gives a browser its token; null takes it away. It ends with the browser's session. */
export function cookieField(token: string | null, name: string, site: URL): string {
  const secure = site.protocol === 'https:' ? '; Secure' : ''
  const life = token === null ? '; Max-Age=0' : ''
  return `${cookieName(name, site)}=${token ?? ''}; Path=/; HttpOnly; SameSite=Strict${secure}${life}`
}
