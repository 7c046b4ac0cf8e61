/**
 * Finds the end of a message body (RFC 9112 6 and 7). The bytes pass unchanged, so that exactly what the
 * client transfers is charged; their framing is checked strictly on the way.
 */

import type { Framing } from './framing.ts'

/** The framing of a body is malformed. */
export class BodyFault extends Error {}

export interface Taken {
  /** How many bytes of the chunk belong to this body; the others belong to the next message. */
  used: number
  done: boolean
}

export interface BodyReader {
  /** Checks the next bytes; adds the decoded content to `payload` when that is given. Throws BodyFault. */
  take(chunk: Buffer, payload?: Buffer[]): Taken
  /** Whether the end of the connection is the end of the body. */
  endsAtClose: boolean
}

/** A reader for one body; null when there is none. `lenient`: for responses of old servers. */
export function bodyReader(framing: Framing, options: { lenient: boolean }): BodyReader | null {
  if (framing.kind === 'none') return null
  if (framing.kind === 'length') return lengthReader(framing.length)
  if (framing.kind === 'chunked') return new ChunkedReader(options)
  return {
    endsAtClose: true,
    take(chunk, payload) {
      payload?.push(chunk)
      return { used: chunk.length, done: false }
    },
  }
}

function lengthReader(length: number): BodyReader {
  let left = length
  return {
    endsAtClose: false,
    take(chunk, payload) {
      const used = Math.min(left, chunk.length)
      left -= used
      payload?.push(chunk.subarray(0, used))
      return { used, done: left === 0 }
    },
  }
}

const CR = 13
const LF = 10
const MOST_SIZE_DIGITS = 16
/** Extensions and trailers are not used here; without a bound they could occupy the parser indefinitely. */
const MOST_EXTENSION_BYTES = 16 * 1024
const MOST_TRAILER_BYTES = 16 * 1024
const FORBIDDEN_TRAILER =
  /^(transfer-encoding|content-length|host|connection|proxy-[a-z-]*|authorization|te|trailer)$/i
const FIELD_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

type State =
  | 'size'
  | 'blank'
  | 'extension'
  | 'size-lf'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'trailer'
  | 'trailer-lf'

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

class ChunkedReader implements BodyReader {
  readonly endsAtClose = false
  #state: State = 'size'
  #digits = 0
  #left = 0
  #extensionBytes = 0
  #trailerBytes = 0
  #line = ''
  /** Blanks after a chunk size are accepted from old servers, never from a client. */
  readonly #lenient: boolean

  constructor(options: { lenient: boolean }) {
    this.#lenient = options.lenient
  }

  take(chunk: Buffer, payload?: Buffer[]): Taken {
    let at = 0
    while (at < chunk.length) {
      if (this.#state === 'data') {
        const part = Math.min(this.#left, chunk.length - at)
        payload?.push(chunk.subarray(at, at + part))
        at += part
        this.#left -= part
        if (this.#left === 0) this.#state = 'data-cr'
      } else if (this.#step(chunk[at++] ?? 0)) {
        return { used: at, done: true }
      }
    }
    return { used: at, done: false }
  }

  /** Reads one byte of framing; true when the body is complete. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case 'size':
        this.#size(byte)
        return false
      case 'blank':
        if (byte === CR) this.#state = 'size-lf'
        else if (byte !== 32 && byte !== 9) throw new BodyFault('a chunk size is malformed')
        return false
      case 'extension':
        if (byte === CR) this.#state = 'size-lf'
        else if ((byte < 32 && byte !== 9) || byte === 127 || ++this.#extensionBytes > MOST_EXTENSION_BYTES) {
          throw new BodyFault('a chunk extension is malformed or too long')
        }
        return false
      case 'trailer':
        this.#trailer(byte)
        return false
      case 'trailer-lf':
        return this.#trailerLine(byte)
      default:
        this.#lineEnd(byte)
        return false
    }
  }

  #size(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit
      if (++this.#digits > MOST_SIZE_DIGITS || this.#left > Number.MAX_SAFE_INTEGER) {
        throw new BodyFault('a chunk size is too large')
      }
      return
    }
    if (this.#digits === 0) throw new BodyFault('a chunk size is missing')
    if (byte === CR) this.#state = 'size-lf'
    else if (byte === 59) this.#state = 'extension'
    else if (this.#lenient && (byte === 32 || byte === 9)) this.#state = 'blank'
    else throw new BodyFault('a chunk size is malformed')
  }

  #lineEnd(byte: number): void {
    if (this.#state === 'data-cr') {
      if (byte !== CR) throw new BodyFault('a chunk is longer than its size')
      this.#state = 'data-lf'
      return
    }
    if (byte !== LF) throw new BodyFault('a line of the chunked coding ends in CR without LF')
    if (this.#state === 'data-lf') {
      this.#state = 'size'
      this.#digits = 0
      this.#left = 0
    } else {
      this.#state = this.#left === 0 ? 'trailer' : 'data'
    }
  }

  #trailer(byte: number): void {
    if (byte === CR) this.#state = 'trailer-lf'
    else if (byte === LF || ++this.#trailerBytes > MOST_TRAILER_BYTES) {
      throw new BodyFault('a trailer is malformed or too long')
    } else this.#line += String.fromCharCode(byte)
  }

  #trailerLine(byte: number): boolean {
    if (byte !== LF) throw new BodyFault('a trailer line ends in CR without LF')
    if (this.#line === '') return true
    const name = this.#line.slice(0, this.#line.indexOf(':'))
    if (!FIELD_LINE.test(this.#line) || FORBIDDEN_TRAILER.test(name))
      throw new BodyFault('a trailer is not allowed')
    this.#line = ''
    this.#state = 'trailer'
    return false
  }
}
