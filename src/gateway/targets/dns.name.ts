/** Names as they are asked of name servers and remembered. */

/** RFC 1035 2.3.4 for the length; RFC 952 for the letters, with the underscore that many hosts have nevertheless. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const MOST_CHARS = 253

/** RFC 6761 6.4, RFC 7686 2: no name server knows them. */
const NEVER_ASKED = new Set(['invalid', 'onion'])

/**
 * The name in lower case without its final dot. Null when there can be no such host: it is not written as a host name
 * (IDNA names must be in their `xn--` form), is an address in any spelling, or is of a domain that is never asked for.
 */
export function canonicalName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  if (name.length > MOST_CHARS || !labels.every((label) => LABEL.test(label))) return null
  const last = labels.at(-1) ?? ''
  // No top-level domain is a number (RFC 3696 2).
  return /^(0x[0-9a-f]*|[0-9]+)$/.test(last) || NEVER_ASKED.has(last) ? null : name
}

/** RFC 6761 6.3: never asked for, always the local machine. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}
