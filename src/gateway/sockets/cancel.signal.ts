/**
 * What is asked of an AbortSignal here, and a cheap one: every connection has one, nearly none is ever aborted, and
 * those of the platform are events with all that belongs to them.
 */

export interface Signal {
  readonly aborted: boolean
  addEventListener(event: 'abort', listener: () => void): void
  removeEventListener(event: 'abort', listener: () => void): void
}

export class Cancel implements Signal {
  aborted = false
  #listeners: (() => void)[] = []

  addEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener)
  }

  /** Tells everybody, once. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
  }
}
