/**
 * How many connections every client address has, on all workers of this machine. Customers come with thousands from one
 * address, so few are too many only of those that have not shown yet whose they are: half-sent heads and handshakes that
 * never end. How exact this is over several workers: `headcount.ts`.
 */

import { networkOf } from '#lib/ip'
import { Headcount } from './shared.counter.ts'
import { remembered } from '#lib/memo'
import type { Siblings } from './coordinator.ts'

export interface CrowdOptions {
  /** Connections of one address. */
  most: number
  /** Connections of one address that nobody was let in by yet. */
  mostStrangers: number
  /** The other workers of this machine. Default: none. */
  siblings?: Siblings | null
}

const networkAt = remembered(20_000, networkOf)

interface Gathering {
  open: number
  strangers: number
}

/** One connection among those of its address. */
export class Guest {
  readonly #crowd: Crowd
  readonly #network: string
  #stranger = true

  constructor(crowd: Crowd, network: string) {
    this.#crowd = crowd
    this.#network = network
  }

  /** Somebody was let in by this connection. */
  known(): void {
    if (!this.#stranger) return
    this.#stranger = false
    this.#crowd.count(this.#network, 0, -1)
  }

  left(): void {
    this.#crowd.count(this.#network, -1, this.#stranger ? -1 : 0)
    this.#stranger = false
  }
}

export class Crowd {
  readonly #open: Headcount<string>
  readonly #strangers: Headcount<string>
  readonly #gatherings = new Map<string, Gathering>()

  constructor({ most, mostStrangers, siblings = null }: CrowdOptions) {
    const read = (network: string) => network
    this.#open = new Headcount({
      counted: 'addresses',
      most,
      own: (network) => this.#gatherings.get(network)?.open ?? 0,
      read,
      siblings,
    })
    this.#strangers = new Headcount({
      counted: 'strangers',
      most: mostStrangers,
      own: (network) => this.#gatherings.get(network)?.strangers ?? 0,
      read,
      siblings,
    })
  }

  /** One more connection of the address; null when there are too many. */
  enter(address: string): Guest | null {
    const network = networkAt(address)
    const gathering = this.#gatherings.get(network)
    if (this.#open.isFull(network, gathering?.open ?? 0)) return null
    if (this.#strangers.isFull(network, gathering?.strangers ?? 0)) return null
    this.count(network, 1, 1)
    return new Guest(this, network)
  }

  count(network: string, open: number, strangers: number): void {
    const gathering = this.#gatherings.get(network) ?? { open: 0, strangers: 0 }
    gathering.open += open
    gathering.strangers += strangers
    if (gathering.open > 0) this.#gatherings.set(network, gathering)
    else this.#gatherings.delete(network)
    this.#open.changed(network, gathering.open)
    this.#strangers.changed(network, gathering.strangers)
  }
}
