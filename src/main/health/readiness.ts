/**
 * What keeps a process from doing all of its work: /readyz tells it, beside whether the database answers. Strangers may read
 * that page, so a sentence names no path and no host; the log has the rest.
 */
export class Readiness {
  readonly #looks: (() => string | null)[] = []

  /** `look` answers what is wrong at present, as a sentence; null: nothing. */
  add(look: () => string | null): void {
    this.#looks.push(look)
  }

  faults(): string[] {
    return this.#looks.flatMap((look) => look() ?? [])
  }
}
