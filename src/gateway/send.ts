/** Sending to a socket what a lease covers, one chunk at a time, for whoever works by awaiting. */

import type { Socket } from 'node:net'
import type { Charge } from './charge.ts'
import { type Flushing, Outlet } from './outlet.ts'

export type Sent = 'sent' | 'no_traffic' | 'broken'

/** Most writes are done at once. */
const SENT: Promise<Sent> = Promise.resolve('sent')

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
  sendFree(chunk: Buffer): Promise<Sent> {
    return this.#write(chunk, chunk.length, null, true)
  }

  /** Sends a message head for which another length is charged, all or nothing. */
  async sendAs(chunk: Buffer, chargedBytes: number, charge: Charge): Promise<Sent> {
    for (let covered = 0; ;) {
      covered = charge.reserve(chargedBytes)
      if (covered === chargedBytes) break
      // Less than the whole is of no use to us; another tunnel of the account may want it.
      charge.unsent(covered)
      if (!(await charge.more(chargedBytes))) return 'no_traffic'
    }
    return await this.#write(chunk, chargedBytes, charge, true)
  }

  /** Sends payload: as much as is covered at once, the rest when more is. */
  async send(chunk: Buffer, charge: Charge): Promise<Sent> {
    let rest = chunk
    for (;;) {
      const covered = charge.reserve(rest.length)
      if (covered > 0) {
        const sent = await this.#write(rest.subarray(0, covered), covered, charge, false)
        if (sent !== 'sent') return sent
        rest = rest.subarray(covered)
      }
      if (rest.length === 0) return 'sent'
      if (!(await charge.more())) return 'no_traffic'
    }
  }

  /** Call before destroying the socket from our side: gives back what has not left. */
  abandon(): void {
    this.#broke()
  }

  #write(chunk: Buffer, payload: number, charge: Charge | null, whole: boolean): Promise<Sent> {
    if (this.broken || this.#socket.destroyed || !this.#socket.writable) {
      charge?.unsent(payload)
      return Promise.resolve('broken')
    }
    const taken = this.#outlet.write(chunk, chunk.length, true, this)
    if (taken === chunk.length) {
      this.bytes += payload
      charge?.sent(payload)
      return SENT
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
