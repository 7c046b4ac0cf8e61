/** Sending to a socket what a lease covers, one chunk at a time, for whoever works by awaiting. */

import type { Socket } from 'node:net'
import type { Charge } from './charge.ts'
import { type Flushing, Outlet } from '../sockets/writer.ts'

export type Sent = 'sent' | 'no_traffic' | 'broken'
/** Most writes are done at once, and then nobody waits: a promise for each step is what made requests dear. */
export type Outcome = Sent | Promise<Sent>

export class Sender implements Flushing {
  /** Payload bytes of the present charge that the kernel took. */
  bytes = 0
  broken = false
  readonly #socket: Socket
  readonly #outlet: Outlet
  /** Charged length and settler of the write under way. */
  #writing: { payload: number; charge: Charge | null; whole: boolean; done: (sent: Sent) => void } | null =
    null

  constructor(socket: Socket) {
    this.#socket = socket
    this.#outlet = new Outlet(socket)
    const broke = () => this.#broke()
    socket.on('error', broke)
    socket.on('close', broke)
    if (socket.destroyed) this.broken = true
  }

  /** Sends without charge. */
  sendFree(chunk: Buffer): Outcome {
    return this.#write(chunk, chunk.length, null, true)
  }

  /** Sends a message head for which another length is charged, all or nothing. */
  sendAs(chunk: Buffer, chargedBytes: number, charge: Charge): Outcome {
    const covered = charge.reserve(chargedBytes)
    if (covered === chargedBytes) return this.#write(chunk, chargedBytes, charge, true)
    // Less than the whole is of no use to us; another tunnel of the account may want it.
    charge.unsent(covered)
    return this.#sendAsLater(chunk, chargedBytes, charge)
  }

  /** Sends payload: as much as is covered at once, the rest when more is. */
  send(chunk: Buffer, charge: Charge): Outcome {
    if (chunk.length === 0) return 'sent'
    const covered = charge.reserve(chunk.length)
    if (covered === chunk.length) return this.#write(chunk, covered, charge, false)
    return this.#sendInParts(chunk, covered, charge)
  }

  /** Call before destroying the socket from our side: gives back what has not left. */
  abandon(): void {
    this.#broke()
  }

  async #sendAsLater(chunk: Buffer, chargedBytes: number, charge: Charge): Promise<Sent> {
    return (await charge.more(chargedBytes)) ? await this.sendAs(chunk, chargedBytes, charge) : 'no_traffic'
  }

  async #sendInParts(chunk: Buffer, firstBytes: number, charge: Charge): Promise<Sent> {
    let rest = chunk
    for (let covered = firstBytes; ; covered = charge.reserve(rest.length)) {
      if (covered > 0) {
        const sent = await this.#write(rest.subarray(0, covered), covered, charge, false)
        if (sent !== 'sent') return sent
        rest = rest.subarray(covered)
      }
      if (rest.length === 0) return 'sent'
      if (!(await charge.more())) return 'no_traffic'
    }
  }

  #write(chunk: Buffer, payload: number, charge: Charge | null, whole: boolean): Outcome {
    if (this.broken || this.#socket.destroyed || !this.#socket.writable) {
      charge?.unsent(payload)
      return 'broken'
    }
    const taken = this.#outlet.write(chunk, chunk.length, true, this)
    if (taken === chunk.length) {
      this.bytes += payload
      charge?.sent(payload)
      return 'sent'
    }
    return new Promise((done) => {
      this.#writing = { payload, charge, whole, done }
    })
  }

  flushed(): void {
    const writing = this.#writing
    if (writing === null) return
    this.#writing = null
    this.bytes += writing.payload
    writing.charge?.sent(writing.payload)
    writing.done('sent')
  }

  #broke(): void {
    this.broken = true
    const writing = this.#writing
    if (writing === null) return
    this.#writing = null
    const left = this.#outlet.unsentBytes()
    // A head that went out in part is of no use to anybody.
    const unsent = writing.whole ? (left > 0 ? writing.payload : 0) : left
    this.bytes += writing.payload - unsent
    writing.charge?.sent(writing.payload - unsent)
    writing.charge?.unsent(unsent)
    writing.done('broken')
  }
}
