/** Assembles a message head from the pieces in which it is received. */

import { HeadFault, headTooLong } from './head.ts'

const NOTHING: Buffer = Buffer.alloc(0)
const CR = 13
const LF = 10

/**
 * Collects one head. `push` returns it once its empty line was received, and leaves the bytes behind it in
 * `rest`.
 */
export class HeadCollector {
  rest = NOTHING
  #held = NOTHING
  #scanned = 0
  readonly #limitBytes: number
  readonly #bareLf: boolean

  /** `bareLf`: lines may end in LF alone, as some old servers send them; never for requests. */
  constructor(options: { limitBytes: number; bareLf: boolean }) {
    this.#limitBytes = options.limitBytes
    this.#bareLf = options.bareLf
  }

  /** Whether a byte of the head was received; empty lines before it do not count. */
  get begun(): boolean {
    return this.#held.length > 0
  }

  push(chunk: Buffer): Buffer | null {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    if (this.#scanned === 0) this.#skipEmptyLines()
    const end = this.#findEnd()
    if (end < 0) {
      if (this.#held.length > this.#limitBytes) throw headTooLong(this.#held.subarray(0, this.#limitBytes))
      return null
    }
    if (end > this.#limitBytes) throw headTooLong(this.#held.subarray(0, this.#limitBytes))
    // Most heads arrive alone and in one piece.
    if (end === this.#held.length) return this.#held
    this.rest = this.#held.subarray(end)
    return this.#held.subarray(0, end)
  }

  /** Empty lines between requests are allowed (RFC 9112 2.2). */
  #skipEmptyLines(): void {
    let start = 0
    while (this.#held[start] === CR && this.#held[start + 1] === LF) start += 2
    if (start > 0) this.#held = this.#held.subarray(start)
  }

  /** The index after the empty line, or -1. Refuses a bare LF as soon as it was received. */
  #findEnd(): number {
    const held = this.#held
    // Lines are so short that calls of indexOf would cost more than this loop.
    for (let at = this.#scanned; at < held.length; at++) {
      if (held[at] !== LF) continue
      const crlf = at > 0 && held[at - 1] === CR
      if (!crlf && !this.#bareLf) throw new HeadFault(400, 'a line ends in LF without CR')
      const lineEnd = crlf ? at - 1 : at
      if (lineEnd === 0 || held[lineEnd - 1] === LF) return at + 1
    }
    // A CR alone may be the first half of an empty line before the head.
    this.#scanned = held.length === 1 ? 0 : held.length
    return -1
  }
}
