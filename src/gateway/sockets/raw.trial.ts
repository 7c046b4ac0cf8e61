/**
 * A trial of raw sockets with a real transfer: whether this version of Node.js has all the internals that
 * they need.
 */

import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { acceptRaw } from './raw.server.ts'
import { connectRaw, type RawSocket } from './raw.socket.ts'
import { bindSocket } from './tcp.handle.ts'
import type { Receiver } from './source.ts'
import { type FlushListener, SocketWriter } from './writer.ts'

/** More than the read buffer holds at first. */
const TRIAL_BYTES = 700_000
const TRIAL_MS = 3000

const patternAt = (at: number) => (at * 31 + (at >> 8)) & 255

/** One end of the trial: it echoes the bytes it receives, or checks them. */
class TrialEnd implements Receiver, FlushListener {
  #bytes = 0
  readonly #socket: RawSocket
  readonly #echo: SocketWriter | null
  readonly #onComplete: () => void
  #isWrong = false

  constructor(socket: RawSocket, echoes: boolean, onComplete: () => void) {
    this.#socket = socket
    this.#echo = echoes ? new SocketWriter(socket) : null
    this.#onComplete = onComplete
  }

  received(buffer: Buffer, bytes: number): void {
    for (let at = 0; at < bytes && !this.#isWrong; at += 997)
      this.#isWrong = buffer[at] !== patternAt(this.#bytes + at)
    this.#bytes += bytes
    if (this.#echo === null) return
    if (this.#echo.write(buffer, bytes, false, this) < bytes) this.#socket.stop()
  }

  flushed(): void {
    this.#socket.start()
  }

  writeFailed(): void {
    this.#isWrong = true
  }

  ended(): void {
    if (this.#echo !== null) this.#socket.end()
    else if (this.#bytes === TRIAL_BYTES && !this.#isWrong) this.#onComplete()
  }

  closed(): void {
    this.#isWrong = true
  }
}

/** Whether raw sockets transfer bytes in both directions, completely, and pass on their ends. */
export async function rawSocketsWork(): Promise<boolean> {
  const server = createServer()
  const sockets: RawSocket[] = []
  try {
    // Bound as the entry ports are, so that the trial covers what the parent process does too.
    server.listen(bindSocket('127.0.0.1', 0))
    await once(server, 'listening')
    acceptRaw(server, (accepted) => {
      sockets.push(accepted)
      accepted.receiver = new TrialEnd(accepted, true, () => undefined)
      accepted.start()
    })
    const { port } = server.address() as AddressInfo
    const near = connectRaw({ host: '127.0.0.1', port, family: 4 })
    sockets.push(near)
    await once(near, 'connect', { signal: AbortSignal.timeout(TRIAL_MS) })
    return await echoes(near)
  } catch {
    // Whatever is missing, ordinary sockets do not need it.
    return false
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

function echoes(near: RawSocket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), TRIAL_MS)
    near.once('close', () => {
      clearTimeout(timer)
      resolve(false)
    })
    near.receiver = new TrialEnd(near, false, () => {
      clearTimeout(timer)
      resolve(true)
    })
    const sent = Buffer.alloc(TRIAL_BYTES)
    for (let at = 0; at < TRIAL_BYTES; at++) sent[at] = patternAt(at)
    const whenFlushed = { flushed: () => near.end(), writeFailed: () => void near.destroy() }
    if (new SocketWriter(near).write(sent, TRIAL_BYTES, true, whenFlushed) === TRIAL_BYTES) near.end()
    near.start()
  })
}
