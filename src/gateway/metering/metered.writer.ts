/** Writes to a socket what a lease covers, one chunk at a time, for callers that await each write. */

import type { AnySocket } from '../sockets/source.ts'
import { type FlushListener, SocketWriter } from '../sockets/writer.ts'
import type { Charge } from './charge.ts'

export type WriteResult = 'sent' | 'no_traffic' | 'broken'
/** Most writes complete at once and need no promise, which costs more than the rest of a small request. */
export type WriteOutcome = WriteResult | Promise<WriteResult>

interface Metered {
  /** The payload bytes that are charged for a write. */
  payload: number
  charge: Charge | null
  /** Charged completely or not at all. */
  whole: boolean
}

interface PendingWrite extends Metered {
  done: (result: WriteResult) => void
}

export class MeteredWriter implements FlushListener {
  /** Charged payload bytes that the kernel accepted. */
  bytes = 0
  isBroken = false
  readonly #socket: AnySocket
  readonly #writer: SocketWriter
  #pending: PendingWrite | null = null

  constructor(socket: AnySocket) {
    this.#socket = socket
    this.#writer = new SocketWriter(socket)
    const failed = () => this.#failed()
    socket.on('error', failed)
    socket.on('close', failed)
    if (socket.destroyed) this.isBroken = true
  }

  writeUncharged(chunk: Buffer): WriteOutcome {
    return this.#write(chunk, { payload: chunk.length, charge: null, whole: true })
  }

  /** Writes a message head completely or not at all; the number of charged bytes is given. */
  writeHead(chunk: Buffer, chargedBytes: number, charge: Charge): WriteOutcome {
    const covered = charge.reserve(chargedBytes)
    if (covered === chargedBytes) return this.#write(chunk, { payload: chargedBytes, charge, whole: true })
    // Part of a head is of no use; another tunnel of the account may use the bytes.
    charge.unsent(covered)
    return this.#writeHeadLater(chunk, chargedBytes, charge)
  }

  /**
   * Writes payload: the covered part at once, the rest when more is covered. Bytes that are not `stable` are
   * valid until this returns.
   */
  write(chunk: Buffer, charge: Charge, stable = true): WriteOutcome {
    if (chunk.length === 0) return 'sent'
    const covered = charge.reserve(chunk.length)
    if (covered === chunk.length)
      return this.#write(chunk, { payload: covered, charge, whole: false }, stable)
    return this.#writeInParts(stable ? chunk : Buffer.from(chunk), covered, charge)
  }

  /** To be called before this side destroys the socket: gives back what has not left. */
  abandon(): void {
    this.#failed()
  }

  async #writeHeadLater(chunk: Buffer, chargedBytes: number, charge: Charge): Promise<WriteResult> {
    return (await charge.more(chargedBytes))
      ? await this.writeHead(chunk, chargedBytes, charge)
      : 'no_traffic'
  }

  async #writeInParts(chunk: Buffer, firstBytes: number, charge: Charge): Promise<WriteResult> {
    let rest = chunk
    for (let covered = firstBytes; ; covered = charge.reserve(rest.length)) {
      if (covered > 0) {
        const result = await this.#write(rest.subarray(0, covered), {
          payload: covered,
          charge,
          whole: false,
        })
        if (result !== 'sent') return result
        rest = rest.subarray(covered)
      }
      if (rest.length === 0) return 'sent'
      if (!(await charge.more())) return 'no_traffic'
    }
  }

  #write(chunk: Buffer, { payload, charge, whole }: Metered, stable = true): WriteOutcome {
    if (this.isBroken || this.#socket.destroyed || !this.#socket.writable) {
      charge?.unsent(payload)
      return 'broken'
    }
    if (this.#writer.write(chunk, chunk.length, stable, this) === chunk.length) {
      this.bytes += payload
      charge?.sent(payload)
      return 'sent'
    }
    return new Promise((done) => {
      this.#pending = { payload, charge, whole, done }
    })
  }

  flushed(): void {
    const pending = this.#pending
    if (pending === null) return
    this.#pending = null
    this.bytes += pending.payload
    pending.charge?.sent(pending.payload)
    pending.done('sent')
  }

  writeFailed(): void {
    this.#failed()
  }

  #failed(): void {
    this.isBroken = true
    const pending = this.#pending
    if (pending === null) return
    this.#pending = null
    const left = this.#writer.unsentBytes()
    const unsent = pending.whole ? (left > 0 ? pending.payload : 0) : left
    this.bytes += pending.payload - unsent
    pending.charge?.sent(pending.payload - unsent)
    pending.charge?.unsent(unsent)
    pending.done('broken')
  }
}
