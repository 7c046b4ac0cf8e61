/** The lookups of a customer's name that the exits of a pool require. */

import type { FeedExit } from '#feed'
import { type Ip, isPublic, parseIp } from '#lib/ip'
import type { OwnHosts } from '../targets/own.hosts.ts'

export interface LookupNeeds {
  /** The families that an exit can use, the preferred one first. */
  families: readonly Ip['family'][]
  /** Every exit looks names up itself: addresses are needed here for the judgement only. */
  forJudgement: boolean
}

/** IPv6 is preferred. */
const BOTH = [6, 4] as const

/** The families of the addresses that the exit can connect to, or pass on. */
function familiesOf({ kind, bind_address: bound }: FeedExit, hasIpv6: boolean): readonly Ip['family'][] {
  const ip = bound === null ? null : parseIp(bound)
  if (kind === 'direct' && ip !== null) return [ip.family]
  return kind === 'direct' && !hasIpv6 ? [4] : BOTH
}

/** Whether the exit gets names. An exit that is, or may be, in a network of the operator's gets addresses. */
function takesNames({ kind, names, host }: FeedExit, own: OwnHosts): boolean {
  if (kind === 'direct' || names === 'gateway') return false
  const ips = own.addressesOf(host ?? '')
  return ips.length > 0 && ips.every(isPublic)
}

function needsOf(exits: readonly FeedExit[], own: OwnHosts): LookupNeeds {
  if (exits.length === 0) return { families: BOTH, forJudgement: false }
  const families = new Set(exits.flatMap((exit) => familiesOf(exit, own.hasIpv6)))
  return {
    families: BOTH.filter((family) => families.has(family)),
    forJudgement: exits.every((exit) => takesNames(exit, own)),
  }
}

/** The needs of all pools, recomputed when exits or their addresses change. */
export class PoolLookupNeeds {
  readonly #exits: { readonly all: readonly FeedExit[] }
  readonly #own: OwnHosts
  readonly #known = new Map<string, LookupNeeds>()
  #version = -1

  constructor(exits: { readonly all: readonly FeedExit[] }, own: OwnHosts) {
    this.#exits = exits
    this.#own = own
  }

  of(pool: string): LookupNeeds {
    if (this.#version !== this.#own.version) this.#known.clear()
    this.#version = this.#own.version
    let needs = this.#known.get(pool)
    if (needs === undefined) {
      needs = needsOf(
        this.#exits.all.filter((exit) => exit.pool === pool),
        this.#own,
      )
      this.#known.set(pool, needs)
    }
    return needs
  }
}
