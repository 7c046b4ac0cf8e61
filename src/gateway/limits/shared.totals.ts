/**
 * The coordinator's end of the shared counters (`shared.counter.ts`): adds up the counts that the workers
 * report.
 */

import { BATCH_MS } from './shared.counter.ts'
import type { Counts } from './worker.bus.ts'

interface Member {
  send: (counts: Counts) => void
  /** Its last reported counts. */
  reported: Map<string, number>
  /** The total of all others that was last sent to it. */
  told: Map<string, number>
}

/** The counts of one kind. */
export class SharedTotals {
  readonly #members = new Set<Member>()
  readonly #totals = new Map<string, number>()
  /** Keys whose total has changed since the last batch. */
  readonly #changed = new Set<string>()

  /** Adds a worker and sends it the counts of the others. */
  join(send: (counts: Counts) => void): { reported: (counts: Counts) => void; leave: () => void } {
    const member: Member = { send, reported: new Map(), told: new Map() }
    this.#members.add(member)
    this.#tell(member, this.#totals.keys())
    return {
      reported: (counts) => {
        for (const [key, count] of counts) this.#note(member, key, count)
      },
      leave: () => {
        this.#members.delete(member)
        for (const key of member.reported.keys()) this.#note(member, key, 0)
      },
    }
  }

  #note(member: Member, key: string, count: number): void {
    const total = (this.#totals.get(key) ?? 0) + count - (member.reported.get(key) ?? 0)
    put(member.reported, key, count)
    put(this.#totals, key, total)
    if (this.#changed.size === 0) setTimeout(() => this.#tellAll(), BATCH_MS).unref()
    this.#changed.add(key)
  }

  #tellAll(): void {
    for (const member of this.#members) this.#tell(member, this.#changed)
    this.#changed.clear()
  }

  #tell({ send, reported, told }: Member, keys: Iterable<string>): void {
    const counts: Counts = []
    for (const key of keys) {
      const others = (this.#totals.get(key) ?? 0) - (reported.get(key) ?? 0)
      if (others === (told.get(key) ?? 0)) continue
      put(told, key, others)
      counts.push([key, others])
    }
    if (counts.length > 0) send(counts)
  }
}

function put(counts: Map<string, number>, key: string, count: number): void {
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
