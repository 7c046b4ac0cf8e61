/**
 * A user name that is not understood. The message is a sentence for the person; it holds printable ASCII only. It is
 * composed when it is read: a line is tried as a dozen sellers' in turn, and the faults of all but one are discarded.
 */
export class GrammarFault extends Error {
  /** The key at fault; `login` or `username` when it is not a pair that is wrong. */
  readonly key: string
  readonly value: string
  /** How many keys and values were understood before it: of several readings the one that got furthest is told. */
  understood = 0
  /** Whose line it was read as; null: one of ours. */
  readAs: string | null = null
  readonly #near: string | null | (() => string | null)
  readonly #sentence: string

  constructor(fault: {
    key: string
    value: string
    /** The nearest valid spelling of what is wrong, or how to find it; null when nothing is near. */
    nearest?: string | null | (() => string | null)
    sentence: string
  }) {
    super()
    this.name = 'GrammarFault'
    this.key = printable(fault.key)
    this.value = printable(fault.value)
    this.#near = fault.nearest ?? null
    this.#sentence = fault.sentence
    const message = () => {
      const hint = this.nearest === null ? '' : ` Did you mean "${this.nearest}"?`
      const whose = this.readAs === null ? '' : `Read as a line of ${this.readAs}: `
      return `${whose}${this.#sentence}${hint}`
    }
    Object.defineProperty(this, 'message', { configurable: true, get: message })
  }

  /** The nearest valid spelling of what is wrong, or null when nothing is near. */
  get nearest(): string | null {
    return typeof this.#near === 'function' ? this.#near() : this.#near
  }

  /** The same fault with another spelling named. */
  withNearest(nearest: string | null): GrammarFault {
    const { key, value } = this
    return new GrammarFault({ key, value, nearest, sentence: this.#sentence })
  }
}

/** A stranger's text made fit for a header, a log line and a terminal. */
function printable(text: string): string {
  const clean = text.slice(0, 48).replace(/[^\x20-\x7e]/g, '?')
  return text.length > 48 ? `${clean}...` : clean
}

export const quote = (text: string): string => `"${printable(text).replaceAll('"', "'")}"`
