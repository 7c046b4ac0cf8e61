/**
 * Reasons why a process cannot do all of its work, for /readyz, which also reports whether the database
 * answers. The page may be public, so sentences contain no path and no host; the log has the details.
 */
export class Readiness {
  readonly #looks: (() => string | null)[] = []

  /** `look` returns the present fault as a sentence; null: there is none. */
  add(look: () => string | null): void {
    this.#looks.push(look)
  }

  faults(): string[] {
    return this.#looks.flatMap((look) => look() ?? [])
  }
}
