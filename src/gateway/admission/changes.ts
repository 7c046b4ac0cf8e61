/**
 * Which logins and addresses changed since a given moment. A decision that is based on several answers, or is
 * cached, is repeated only when one of the subjects that it concerns has changed.
 */

/**
 * The most subjects that are remembered. Decisions made before the change of a forgotten subject count as
 * outdated.
 */
const MOST_SUBJECTS = 50_000

/** The subject of a client's address in a pool; logins are subjects as they are. */
export const addressSubject = (pool: string, address: string) => `${pool} ${address}`

/** The subject for changes that concern an account but none of its proxy users. */
export const ownSubject = (login: string) => `own ${login}`

export class Changes {
  /** Grows with every change. */
  #now = 0
  /** Decisions made before this moment count as outdated, whatever their subjects. */
  #allAt = 0
  /** The moment at which each subject last changed, oldest first. */
  readonly #changedAt = new Map<string, number>()

  /** The present moment, for `isUnchanged` later. */
  get now(): number {
    return this.#now
  }

  note(subject: string): void {
    this.#changedAt.delete(subject)
    this.#changedAt.set(subject, ++this.#now)
    if (this.#changedAt.size <= MOST_SUBJECTS) return
    for (const [oldest, at] of this.#changedAt) {
      this.#changedAt.delete(oldest)
      this.#allAt = at
      return
    }
  }

  noteAll(): void {
    this.#allAt = ++this.#now
    this.#changedAt.clear()
  }

  /** Whether none of the subjects has changed since that moment. */
  isUnchanged(since: number, subjects: Iterable<string>): boolean {
    if (since < this.#allAt) return false
    if (since === this.#now) return true
    for (const subject of subjects) if ((this.#changedAt.get(subject) ?? 0) > since) return false
    return true
  }
}
