/** Cookies that only the server reads (RFC 6265bis): HttpOnly, SameSite=Strict, for this host alone. */

/** Browsers limit the lifetime of a cookie to this (RFC 6265bis, section 5.5). */
const lastingDays = 400
/** The most tokens in one cookie: one for each account that is used in the browser. */
const mostTokens = 10

/** On https only `__Host-` is believed: a cookie of that name was set by this host itself, over TLS. */
export const cookieName = (name: string, site: URL): string =>
  site.protocol === 'https:' ? `__Host-${name}` : name

const token = /^[\w-]{43}$/

/** The token of a cookie in a Cookie field; null: there is none, or two. */
export function tokenInCookies(cookies: string | undefined, name: string, site: URL): string | null {
  const only = valueInCookies(cookies, name, site)
  return only !== null && token.test(only) ? only : null
}

/** The tokens of a cookie that holds several; none when the field has this cookie twice. */
export function tokensInCookies(cookies: string | undefined, name: string, site: URL): string[] {
  const parts = (valueInCookies(cookies, name, site) ?? '').split('.', mostTokens)
  return parts.filter((part) => token.test(part))
}

function valueInCookies(cookies: string | undefined, name: string, site: URL): string | null {
  if (cookies === undefined) return null
  const start = `${cookieName(name, site)}=`
  const values = cookies
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length))
  const [only] = values
  return values.length === 1 && only !== undefined ? only : null
}

/**
 * The Set-Cookie field that sets the token; null removes the cookie. The cookie ends with the browser's
 * session.
 */
export function cookieField(token: string | null, name: string, site: URL): string {
  return fieldOf(token ?? '', { name, site, life: token === null ? '; Max-Age=0' : '' })
}

/**
 * The Set-Cookie field of several tokens, the latest first. Browsers keep the cookie as long as they keep
 * any.
 */
export function lastingCookieField(tokens: readonly string[], name: string, site: URL): string {
  const value = [...new Set(tokens)].slice(0, mostTokens).join('.')
  return fieldOf(value, { name, site, life: `; Max-Age=${lastingDays * 24 * 60 * 60}` })
}

function fieldOf(value: string, { name, site, life }: { name: string; site: URL; life: string }): string {
  const secure = site.protocol === 'https:' ? '; Secure' : ''
  return `${cookieName(name, site)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${life}`
}
