/**
 * How many connections every client address has here. Customers come with thousands from one address, so few are too
 * many only of those that have not shown yet whose they are: half-sent heads and handshakes that never end.
 */

import { networkOf } from '#lib/ip'
import { remembered } from './memo.ts'

export interface CrowdOptions {
  /** Connections of one address. */
  most: number
  /** Connections of one address that nobody was let in by yet. */
  mostStrangers: number
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
  readonly #options: CrowdOptions
  readonly #gatherings = new Map<string, Gathering>()

  constructor(options: CrowdOptions) {
    this.#options = options
  }

  /** One more connection of the address; null when there are too many. */
  enter(address: string): Guest | null {
    const network = networkAt(address)
    const { open, strangers } = this.#gatherings.get(network) ?? { open: 0, strangers: 0 }
    if (open >= this.#options.most || strangers >= this.#options.mostStrangers) return null
    this.count(network, 1, 1)
    return new Guest(this, network)
  }

  count(network: string, open: number, strangers: number): void {
    const gathering = this.#gatherings.get(network) ?? { open: 0, strangers: 0 }
    gathering.open += open
    gathering.strangers += strangers
    if (gathering.open > 0) this.#gatherings.set(network, gathering)
    else this.#gatherings.delete(network)
  }
}
