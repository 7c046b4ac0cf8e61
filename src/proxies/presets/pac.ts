/**
 * Proxy auto-configuration files. They cannot carry a password: the browser asks for it, or the client's
 * address is on the whitelist.
 */
import type { ProxyEndpoint } from '#contract/proxy-lines'

/** A JavaScript string literal of ASCII characters that may stand anywhere in a program, also in a page. */
const literal = (text: string): string =>
  JSON.stringify(text).replace(
    /[^\x20-\x7e]|[<>&']/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The file for a line; a browser that cannot reach the proxy makes no direct connection instead. */
export function pacFile({ hostname, port }: ProxyEndpoint, protocol: 'http' | 'https' | 'socks5'): string {
  const address = `${hostname}:${port}`
  const proxy = protocol === 'socks5' ? `SOCKS5 ${address}; SOCKS ${address}` : `PROXY ${address}`
  return `function FindProxyForURL(url, host) {
  if (isPlainHostName(host) || host === "localhost" || shExpMatch(host, "127.*") || host === "[::1]" || host === "::1") {
    return "DIRECT";
  }
  return ${literal(proxy)};
}
`
}
