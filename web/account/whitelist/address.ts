/** Addresses as the whitelist takes them: IPv4 only. */

/** Four numbers of one to three digits, each at most 255, with dots between them. */
export function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)
}

/** The same address in its usual spelling, without leading zeros; so that it is known again in the list. */
export function plainIpv4(text: string): string {
  return text
    .split('.')
    .map((part) => String(Number(part)))
    .join('.')
}

/** The IPv4 address in what a server saw a request come from: also `::ffff:203.0.113.7`. Null for IPv6. */
export function ipv4Seen(seen: string): string | null {
  const address = seen.replace(/^::ffff:/i, '')
  return isIpv4(address) ? address : null
}
