/**
 * Who comes and goes by the thousand every second. A Set makes itself a new table every few dozen of them, and each old
 * table knows the next one and whoever was in it: once one of them is old to the garbage collector, all that follow, with
 * everything that hangs on their members, are kept and carried along until the next of its rare large rounds. That was a
 * fifth of what a tunnel cost.
 */

/** Knows where it stands, and stands in one roster at a time. */
export interface Member {
  /** Its index; -1: in none. The roster's own. */
  place: number
}

export class Roster<T extends Member> {
  readonly #members: T[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: T): void {
    member.place = this.#members.length
    this.#members.push(member)
  }

  /** Does nothing when it is not there. */
  remove(member: T): void {
    const { place } = member
    if (place < 0) return
    member.place = -1
    const last = this.#members.pop()
    if (last === undefined || last === member) return
    this.#members[place] = last
    last.place = place
  }

  /** One of them. */
  get last(): T | undefined {
    return this.#members.at(-1)
  }

  /** All of them, in no order; they may leave meanwhile. */
  all(): T[] {
    return [...this.#members]
  }
}
