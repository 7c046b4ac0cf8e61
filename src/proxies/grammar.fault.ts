/**
 * A user name that cannot be parsed. The message is a sentence for the user, in printable ASCII only. It is
 * composed when it is read: a line is tried against a dozen formats in turn, and the faults of all but one
 * are discarded.
 */
export class GrammarFault extends Error {
  /** The key at fault; `login` or `username` when the fault is not in a pair. */
  readonly key: string
  readonly value: string
  /**
   * The number of keys and values parsed before it: of several readings the one that got furthest is
   * reported.
   */
  understood = 0
  /** The seller whose format was used; null: Turnpike's own. */
  readAs: string | null = null
  readonly #near: string | null | (() => string | null)
  readonly #sentence: string

  constructor(fault: {
    key: string
    value: string
    /** The nearest valid spelling, or a function that finds it; null when nothing is near. */
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

  /** The nearest valid spelling, or null when nothing is near. */
  get nearest(): string | null {
    return typeof this.#near === 'function' ? this.#near() : this.#near
  }

  /** The same fault with another spelling suggested. */
  withNearest(nearest: string | null): GrammarFault {
    const { key, value } = this
    return new GrammarFault({ key, value, nearest, sentence: this.#sentence })
  }
}

/** Makes untrusted text safe for a header, a log line and a terminal. */
function printable(text: string): string {
  const clean = text.slice(0, 48).replace(/[^\x20-\x7e]/g, '?')
  return text.length > 48 ? `${clean}...` : clean
}

export const quote = (text: string): string => `"${printable(text).replaceAll('"', "'")}"`
