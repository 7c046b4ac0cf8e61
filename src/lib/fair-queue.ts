import { Refusal } from './refusal.ts'

interface Waiter {
  start: () => void
  refuse: (refusal: Refusal) => void
}

/** Waiting work by its origin: an address in a network, the network in a larger one. */
class Group {
  /** Pieces of work that wait here and in all groups below. */
  size = 0
  /** The group whose turn is next is first. */
  readonly #groups = new Map<string, Group>()
  readonly #waiters: Waiter[] = []

  add([name, ...below]: readonly string[], waiter: Waiter): void {
    this.size += 1
    if (name === undefined) {
      this.#waiters.push(waiter)
      return
    }
    const group = this.#groups.get(name) ?? new Group()
    this.#groups.set(name, group)
    group.add(below, waiter)
  }

  /** The oldest work of the next group, which then becomes the last. */
  takeNext(): Waiter | undefined {
    const [turn] = this.#groups
    if (turn === undefined) return this.#took(this.#waiters.shift())
    const [name, group] = turn
    const waiter = group.takeNext()
    this.#groups.delete(name)
    if (group.size > 0) this.#groups.set(name, group)
    return this.#took(waiter)
  }

  /** The newest work of the largest group; among equally large ones, of the one added last. */
  takeFromFullest(): Waiter | undefined {
    let fullest: [name: string, group: Group] | undefined
    for (const entry of this.#groups) if (entry[1].size >= (fullest?.[1].size ?? 0)) fullest = entry
    if (fullest === undefined) return this.#took(this.#waiters.pop())
    const [name, group] = fullest
    const waiter = group.takeFromFullest()
    if (group.size === 0) this.#groups.delete(name)
    return this.#took(waiter)
  }

  #took(waiter: Waiter | undefined): Waiter | undefined {
    if (waiter !== undefined) this.size -= 1
    return waiter
  }
}

/** The time after which a refused caller may repeat its request. */
const retryAfterSeconds = 1

/**
 * Costly work, a few pieces at a time, the rest in a short queue (fair queuing, RFC 970): the groups of
 * origin take turns, whatever the amount of work of each; within a group its subgroups take turns, and the
 * innermost group is first in, first out. When the queue is full, the newest work of the largest group is
 * refused. A flood from one network therefore displaces only its own work, and work from elsewhere finds
 * room, and its turn after one piece of each other group.
 */
export class FairQueue {
  readonly #maxWaiting: number
  readonly #waiting = new Group()
  #free: number

  /** `atOnce` pieces run concurrently, `waiting` more may wait. */
  constructor({ atOnce, waiting }: { atOnce: number; waiting: number }) {
    this.#free = atOnce
    this.#maxWaiting = waiting
  }

  /**
   * Does the work in its turn. `path` names the groups it comes from, the widest first; all paths of a queue
   * are equally long. Refuses with `too_many_requests` when the queue is full: then the work has not begun.
   */
  async run<T>(path: readonly string[], work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await this.#turn(path)
    else this.#free -= 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.takeNext()
      if (next === undefined) this.#free += 1
      else next.start()
    }
  }

  #turn(path: readonly string[]): Promise<void> {
    return new Promise((start, refuse) => {
      this.#waiting.add(path, { start, refuse })
      if (this.#waiting.size <= this.#maxWaiting) return
      const refusal = new Refusal('too_many_requests', { seconds: retryAfterSeconds }, retryAfterSeconds)
      this.#waiting.takeFromFullest()?.refuse(refusal)
    })
  }
}
