/**
 * The operator's own list of forbidden ports, hosts, addresses and networks, besides those that are always
 * forbidden.
 */

import { contains, formatIp, parseCidr, type Cidr, type Ip } from '#lib/ip'
import { HostRules, readHostPattern } from '#limits/hosts'

export interface DenyList {
  /** First and last of each range. */
  ports: readonly (readonly [number, number])[]
  networks: readonly Cidr[]
  hosts: HostRules
}

function readPorts(part: string): readonly [number, number] | null {
  const [, from, to = from] = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(part) ?? []
  const [first, last] = [Number(from), Number(to)]
  return first >= 1 && last <= 65_535 && first <= last ? [first, last] : null
}

/**
 * Parses the operator's list (GATEWAY_DENY), part by part: a port, a range of ports, a host, `*.` and a name
 * for all names below it, an address or a CIDR. Throws an error that names the first part that is none of
 * these.
 */
export function parseDeny(parts: readonly string[]): DenyList {
  const ports: (readonly [number, number])[] = []
  const networks: Cidr[] = []
  const names: string[] = []
  for (const part of parts) {
    const range = readPorts(part)
    const network = range === null ? parseCidr(part.replace(/^\[(.*)\]$/, '$1')) : null
    // Digits and dashes alone are a reversed range, not a host.
    const mayBeName = range === null && network === null && !/^[0-9-]+$/.test(part)
    const name = mayBeName ? readHostPattern(part) : null
    if (range !== null) ports.push(range)
    else if (network !== null) networks.push(network)
    else if (name !== null) names.push(name)
    else throw new Error(`"${part}" is no port, range of ports, host, *.host, address or CIDR`)
  }
  return {
    ports,
    networks,
    hosts: new HostRules({ allowed_hosts: [], denied_hosts: names, data_saver: false }),
  }
}

export function deniesPort({ ports }: DenyList, port: number): boolean {
  return ports.some(([first, last]) => port >= first && port <= last)
}

/** Whether a name is on the list. */
export function deniesName({ hosts }: DenyList, name: string): boolean {
  return hosts.faultOf(name) !== null
}

/** Whether an address is on the list, as itself or in a network. */
export function deniesAddress({ networks, hosts }: DenyList, ip: Ip): boolean {
  return networks.some((network) => contains(network, ip)) || hosts.faultOf(formatIp(ip)) !== null
}
