/**
 * Which sockets this process uses: its own (`socket.ts`), or ordinary ones where Node's doors to them are missing. What
 * decides is a trial at the start that really passes bytes.
 */

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { type Flushing, Outlet } from './writer.ts'
import { acceptRaw, connectRaw, type RawSocket } from './raw.socket.ts'
import type { Reader } from './source.ts'

export type Road = 'raw' | 'stream'

/** Enough to fill the buffer, and more than once. */
const TRIAL_BYTES = 700_000
const TRIAL_MS = 3000

/** A peer that vanished without a word is noticed by the kernel's keep-alive. */
const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

let trial: Promise<boolean> | null = null
let road: Road = 'stream'

/** Decides for this process, or is told; to be called before any socket is made. */
export async function chooseRoad(forced?: Road): Promise<Road> {
  road = forced ?? ((await (trial ??= tryRaw())) ? 'raw' : 'stream')
  return road
}

/** A server whose connections go to `accept`, paused; they are caught once it listens. */
export function makeServer(accept: (socket: Socket) => void): { server: Server; listens: () => void } {
  const server = createServer({ ...SOCKET_OPTIONS, pauseOnConnect: true }, accept)
  return {
    server,
    listens: () => {
      if (road === 'raw') acceptRaw(server, accept)
    },
  }
}

/**
 * A socket on its way to an address: paused, half-open when one side ends, without delay. `ordinary`: TLS is going to be
 * spoken over it, which takes the bytes from the handle itself.
 */
export function openSocket(to: {
  host: string
  port: number
  localAddress: string | null
  ordinary?: boolean
}): Socket {
  const { host, port, localAddress, ordinary = false } = to
  const where = localAddress === null ? { host, port } : { host, port, localAddress }
  return road === 'raw' && !ordinary ? connectRaw(where) : connect({ ...SOCKET_OPTIONS, ...where })
}

/** What one end of the trial does: it passes on what it gets, or checks it. */
class Trial implements Reader, Flushing {
  bytes = 0
  readonly #socket: RawSocket
  readonly #outlet: Outlet | null
  readonly #whole: () => void
  #wrong = false

  constructor(socket: RawSocket, echoes: boolean, whole: () => void) {
    this.#socket = socket
    this.#outlet = echoes ? new Outlet(socket) : null
    this.#whole = whole
  }

  arrived(buffer: Buffer, bytes: number): void {
    for (let at = 0; at < bytes && !this.#wrong; at += 997)
      this.#wrong = buffer[at] !== patternAt(this.bytes + at)
    this.bytes += bytes
    if (this.#outlet === null) return
    if (this.#outlet.write(buffer, bytes, false, this) < bytes) this.#socket.stop()
  }

  flushed(): void {
    this.#socket.start()
  }

  finished(): void {
    if (this.#outlet !== null) this.#socket.end()
    else if (this.bytes === TRIAL_BYTES && !this.#wrong) this.#whole()
  }

  broke(): void {
    this.#wrong = true
  }
}

const patternAt = (at: number) => (at * 31 + (at >> 8)) & 255

/** Whether bytes pass through raw sockets both ways, whole, and their ends too. */
async function tryRaw(): Promise<boolean> {
  const server = createServer()
  const sockets: RawSocket[] = []
  try {
    server.listen({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    acceptRaw(server, (accepted) => {
      sockets.push(accepted)
      accepted.reader = new Trial(accepted, true, () => undefined)
      accepted.start()
    })
    const { port } = server.address() as AddressInfo
    const near = connectRaw({ host: '127.0.0.1', port })
    sockets.push(near)
    await once(near, 'connect', { signal: AbortSignal.timeout(TRIAL_MS) })
    return await passes(near)
  } catch {
    // Whatever is missing: there is the other road.
    return false
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

function passes(near: RawSocket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), TRIAL_MS)
    near.once('close', () => {
      clearTimeout(timer)
      resolve(false)
    })
    near.reader = new Trial(near, false, () => {
      clearTimeout(timer)
      resolve(true)
    })
    const sent = Buffer.alloc(TRIAL_BYTES)
    for (let at = 0; at < TRIAL_BYTES; at++) sent[at] = patternAt(at)
    const whole = { flushed: () => void near.end() }
    if (new Outlet(near).write(sent, TRIAL_BYTES, true, whole) === TRIAL_BYTES) near.end()
    near.start()
  })
}
