/** Counts what a person presses and fills in, and the time of it. */
import type { BrowserContext } from '@playwright/test'

export interface Measured {
  /** Presses of the pointer, and of keys that act: Enter and the search key. */
  clicks: number
  /** Fields that were typed into or chosen from. */
  fields: number
  /** From the first press to the end. */
  seconds: number
}

/** Runs in the page: reports each press, and each field once. */
function listen(): void {
  const tell = (what: string) =>
    (globalThis as unknown as { noteInput: (what: string) => Promise<void> }).noteInput(what)
  const seen = new WeakSet<EventTarget>()
  const isChecked = (field: EventTarget) =>
    field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type)
  const onInput = ({ target }: Event) => {
    if (target === null || seen.has(target) || isChecked(target)) return
    seen.add(target)
    void tell('field')
  }
  const onKey = ({ key, isTrusted, target }: KeyboardEvent) => {
    const isTyped = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    if (isTrusted && (key === 'Enter' || (key === '/' && !isTyped))) void tell('click')
  }
  addEventListener('pointerdown', ({ isTrusted }) => isTrusted && void tell('click'), true)
  addEventListener('keydown', onKey, true)
  addEventListener('input', onInput, true)
  addEventListener('change', onInput, true)
}

export class Meter {
  #clicks = 0
  #fields = 0
  #firstMs: number | null = null
  #pausedMs = 0

  /** A meter of all pages of the context. */
  static async of(context: BrowserContext): Promise<Meter> {
    const meter = new Meter()
    await context.exposeFunction('noteInput', (what: 'click' | 'field') => meter.#note(what))
    await context.addInitScript(listen)
    return meter
  }

  #note(what: 'click' | 'field'): void {
    this.#firstMs ??= performance.now()
    if (what === 'click') this.#clicks++
    else this.#fields++
  }

  async measure(work: () => Promise<void>): Promise<Measured> {
    this.#clicks = 0
    this.#fields = 0
    this.#pausedMs = 0
    this.#firstMs = null
    const began = performance.now()
    await work()
    const ms = performance.now() - (this.#firstMs ?? began) - this.#pausedMs
    return { clicks: this.#clicks, fields: this.#fields, seconds: ms / 1000 }
  }

  /** Work whose time does not count. Before the first press no time counts anyway. */
  async pause(work: () => Promise<void>): Promise<void> {
    const isCounted = this.#firstMs !== null
    const began = performance.now()
    await work()
    if (isCounted) this.#pausedMs += performance.now() - began
  }
}
