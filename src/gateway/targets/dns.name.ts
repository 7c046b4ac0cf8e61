/** Host names as they are sent to name servers and cached. */

/** Labels of at most 63 characters (RFC 1035 2.3.4): letters, digits and hyphens, and the underscores that are in use. */
const NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/
const MOST_CHARS = 253

/** RFC 6761 6.4 and RFC 7686 2: such names do not exist in the DNS. */
const NEVER_ASKED = new Set(['invalid', 'onion'])

/**
 * The name in lower case without its final dot. Null when it is no host name (IDNA names have to be in their `xn--`
 * form), an address in any spelling, or in a domain that does not exist in the DNS.
 */
export function canonicalName(text: string): string | null {
  const lower = text.toLowerCase()
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower
  if (name.length > MOST_CHARS || !NAME.test(name)) return null
  const last = name.slice(name.lastIndexOf('.') + 1)
  // No top-level domain is a number (RFC 3696 2).
  return /^(0x[0-9a-f]*|[0-9]+)$/.test(last) || NEVER_ASKED.has(last) ? null : name
}

/** RFC 6761 6.3: always the local machine, never sent to a name server. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}
