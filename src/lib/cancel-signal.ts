/**
 * The part of AbortSignal that the gateway uses, and a cheap implementation: every tunnel needs one while it
 * is prepared, almost none is ever cancelled, and an AbortSignal of the platform is a whole EventTarget.
 */

export interface CancelSignal {
  readonly aborted: boolean
  addEventListener(event: 'abort', listener: () => void): void
  removeEventListener(event: 'abort', listener: () => void): void
}

export class Cancellation implements CancelSignal {
  aborted = false
  #listeners: (() => void)[] = []

  /** A cancellation that happens after this time, if the process still runs. */
  static after(ms: number): Cancellation {
    const cancellation = new Cancellation()
    setTimeout(() => cancellation.abort(), ms).unref()
    return cancellation
  }

  addEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_event: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at >= 0) this.#listeners.splice(at, 1)
  }

  /** Calls the listeners; only the first call has an effect. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
  }
}
