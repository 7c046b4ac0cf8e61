/**
 * Which logins and addresses changed since a moment: a decision that was based on several answers, or is
 * cached, is made again only when one of those that it concerns has changed.
 */

/** More subjects are not remembered: what was decided before the oldest of them counts as changed. */
const MOST_SUBJECTS = 50_000

/** The subject of a client's address in a pool; logins are subjects as they are. */
export const addressSubject = (pool: string, address: string) => `${pool} ${address}`

/** The subject of what concerns an account and none of its proxy users. */
export const ownSubject = (login: string) => `own ${login}`

export class Changes {
  /** Grows with every change. */
  #now = 0
  /** Everything changed then. */
  #allAt = 0
  /** When each subject changed last, oldest first. */
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
