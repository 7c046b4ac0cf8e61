/** The callbacks of a module that holds state. */
export class Listeners {
  readonly #listeners = new Set<() => void>()

  /** Calls back on every change until the returned function is called; as `useSyncExternalStore` wants it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
