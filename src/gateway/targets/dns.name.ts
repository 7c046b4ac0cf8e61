/**
 * Host names: the one rule for those that clients name, and for those that are sent to name servers and
 * cached.
 */

/**
 * Labels of at most 63 characters (RFC 1035 2.3.4): letters, digits and hyphens, and the underscores that are
 * in use.
 */
const NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/
const MOST_CHARS = 253

/** RFC 6761 6.4 and RFC 7686 2: such names do not exist in the DNS. */
const NEVER_ASKED = new Set(['invalid', 'onion'])

const lastLabel = (name: string) => name.slice(name.lastIndexOf('.') + 1)

/**
 * The name in lower case without its final dot. Null when it is not a host name (IDNA names have to be in
 * their `xn--` form) or an address in any spelling.
 */
export function hostName(text: string): string | null {
  const lower = text.toLowerCase()
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower
  if (name.length > MOST_CHARS || !NAME.test(name)) return null
  // No top-level domain is a number (RFC 3696 2): this is an address, or a misspelt one that some resolvers
  // accept.
  return /^(0x[0-9a-f]*|[0-9]+)$/.test(lastLabel(name)) ? null : name
}

/** Whether the name is in a domain that does not exist in the DNS, so that no name server is asked. */
export function isNeverAsked(name: string): boolean {
  return NEVER_ASKED.has(lastLabel(name))
}

/** RFC 6761 6.3: always the local machine, never sent to a name server. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}
