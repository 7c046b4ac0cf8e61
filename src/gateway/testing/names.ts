/** For tests: resolvers over name servers of our own, closed when the test ends. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatIp, parseIp } from '#lib/ip'
import { NameFault, type NameRequest, NameResolver, type ResolverOptions } from '../targets/resolver.ts'
import { type Answering, type NameReply, NameServer } from './name.server.ts'

export const V4 = '93.184.215.14'
export const V6 = '2606280002200001024818930000cafe'
export const V6_TEXT = '2606:2800:220:1:248:1893:0:cafe'

export const found: NameReply = { addresses: [V4, V6] }
export const notFound: NameReply = { rcode: 3 }
export const failed: NameReply = { rcode: 2 }

/** Names that end in `.dead` are never answered; any other exists. */
export const usual: Answering = ({ name }) => (name.endsWith('.dead') ? null : found)

const undone: (() => void)[] = []

/** To be called after each test. */
export function undo(): void {
  for (const one of undone.splice(0).toReversed()) one()
}

export class Clock {
  #offsetMs = 0
  readonly now = () => performance.now() + this.#offsetMs

  advance(ms: number): void {
    this.#offsetMs += ms
  }
}

export async function serverOf(
  answering: Answering,
  place?: { address?: string; port?: number },
): Promise<NameServer> {
  const server = await NameServer.start(answering, place)
  undone.push(() => server.close())
  return server
}

/**
 * A busy machine must not make it give up AAAA, so the resolution delay is long unless a test says otherwise.
 */
export function resolverOf(options: ResolverOptions): NameResolver {
  const resolver = new NameResolver({ hostsFile: '/dev/null', resolutionDelayMs: 10_000, ...options })
  undone.push(() => resolver.close())
  return resolver
}

/** An address as the name server has it. IPv4 inside of IPv6 stays IPv6, as some servers give it. */
function onTheWire(text: string): string {
  const mapped = /^::ffff:([0-9.]+)$/.exec(text)?.[1]
  const ip = parseIp(mapped ?? text)
  if (ip === null) throw new Error(`${text} is no address`)
  if (ip.family === 4 && mapped === undefined) return text
  return `${mapped === undefined ? '' : 'ffff'}${ip.value.toString(16).padStart(8, '0')}`.padStart(32, '0')
}

/** What these names are answered with; any other does not exist. */
export function answersOf(found: (name: string) => readonly string[] | undefined): Answering {
  return ({ name }) => {
    const addresses = found(name)
    return addresses === undefined ? notFound : { addresses: addresses.map(onTheWire) }
  }
}

/** A resolver for a gateway, over a name server with these names, which is closed with it. */
export async function namesOf(
  found: Readonly<Record<string, readonly string[]>> | ((name: string) => readonly string[] | undefined),
): Promise<NameResolver> {
  const answering = answersOf(typeof found === 'function' ? found : (name) => found[name])
  return namesFrom(await NameServer.start(answering))
}

/** A resolver for a gateway, over this name server, which ends with it. */
export function namesFrom(server: NameServer, options: ResolverOptions = {}): NameResolver {
  const resolver = new NameResolver({ hostsFile: '/dev/null', servers: [server.authority], ...options })
  const close = resolver.close.bind(resolver)
  resolver.close = () => {
    close()
    server.close()
  }
  return resolver
}

/** Resolves these names immediately and without a server, for tests of the use of their addresses. */
export function staticNames(
  found: (name: string) => readonly string[] | undefined,
): Pick<NameResolver, 'resolve'> {
  return {
    async resolve(name) {
      const addresses = (found(name) ?? []).map((text) => parseIp(text)).filter((ip) => ip !== null)
      if (addresses.length === 0) throw new NameFault('not_found', name)
      return { addresses }
    },
  }
}

export async function start(answering: Answering = usual, options: ResolverOptions = {}) {
  const server = await serverOf(answering)
  const clock = new Clock()
  const resolver = resolverOf({ servers: [server.authority], now: clock.now, ...options })
  return { server, clock, resolver, ask: asker(resolver) }
}

/** Asks, and gives the addresses as text or the code of the fault. */
export function asker(resolver: NameResolver) {
  return async (name: string, request: Partial<NameRequest> = {}): Promise<string> => {
    try {
      const { addresses } = await resolver.resolve(name, { account: 1n, ...request })
      return addresses.map(formatIp).join(' ')
    } catch (fault) {
      if (fault instanceof NameFault) return fault.code
      throw fault
    }
  }
}

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'names-'))
  undone.push(() => rmSync(path, { recursive: true }))
  return path
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
