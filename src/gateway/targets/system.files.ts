/** What the resolver takes from /etc/hosts (hosts(5)) and /etc/resolv.conf (resolv.conf(5)). */

import { isIP } from 'node:net'
import { hostAndPort, parseIp, withoutZone, type Ip } from '#lib/ip'

/** glibc uses three (MAXNS). */
const MOST_SERVERS = 3

/** The words of each line, without comments. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/[#;].*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/))

/** Addresses by lower-case name, in the order of the file. Lines without a readable address are left out. */
export function parseHosts(text: string): ReadonlyMap<string, readonly Ip[]> {
  const hosts = new Map<string, Ip[]>()
  for (const [address = '', ...names] of linesOf(text)) {
    const ip = parseIp(withoutZone(address))
    if (ip === null) continue
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, '')
      const ips = hosts.get(key) ?? []
      if (!ips.some(({ family, value }) => family === ip.family && value === ip.value)) ips.push(ip)
      hosts.set(key, ips)
    }
  }
  return hosts
}

/**
 * The name servers as `setServers` takes them; the local machine where there are none. Null when one is a
 * link-local address with an interface: c-ares reads those from the file itself, and Node's `setServers`
 * drops the interface. Search domains and options are ignored.
 */
export function parseNameServers(text: string, port: number): readonly string[] | null {
  const addresses = linesOf(text)
    .filter(([keyword, address = '']) => keyword === 'nameserver' && isIP(address) !== 0)
    .map(([, address = '']) => address)
    .slice(0, MOST_SERVERS)
  if (addresses.some((address) => address.includes('%'))) return null
  if (addresses.length === 0) addresses.push('127.0.0.1')
  return addresses.map((address) => hostAndPort(address, port))
}
