/**
 * Customers during an upgrade: short tunnels at a constant rate, and some that stay open. Each reports its
 * outcome.
 */
import { createConnection, type Socket } from 'node:net'
import type { Way } from '../whole/visitor.ts'

/** The outcomes of the tunnels since the last call. */
export interface Outcome {
  /** Short tunnels that were opened and ended well. */
  served: number
  /**
   * By reason: connections that were not accepted, were closed before their tunnel, or were answered with a
   * refusal.
   */
  refused: Record<string, number>
  /** Tunnels that ended before their client ended them. */
  broken: number
}

export interface Load {
  /** The outcomes since the last call. */
  outcome: () => Outcome
  /** Payload bytes through all tunnels in both directions. */
  bytes: () => bigint
  /** Ends the tunnels that stay open, and opens as many new ones. */
  renew: () => Promise<void>
  /** Begins no further tunnel, and waits for the end of all. */
  stop: () => Promise<void>
}

const MESSAGE = Buffer.from('x'.repeat(100))
const HELD_EVERY_MS = 200
const WITHIN_MS = 20_000

class Refused extends Error {}

/** A tunnel to an echo. One message is under way at a time. */
class EchoTunnel {
  readonly #socket: Socket
  #head = ''
  #left = 0
  #fault = 'closed'
  #done: (isWell: boolean) => void = () => undefined

  private constructor(way: Way) {
    const socket = createConnection({ host: '127.0.0.1', port: way.port, noDelay: true })
    this.#socket = socket
    socket.on('error', (error: NodeJS.ErrnoException) => (this.#fault = error.code ?? error.message))
    socket.on('close', () => this.#done(false))
    socket.on('end', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.setTimeout(WITHIN_MS, () => {
      this.#fault = 'timed out'
      socket.destroy()
    })
    const authority = `${way.target.host}:${way.target.port}`
    const basic = Buffer.from(`${way.login}:${way.password}`).toString('base64')
    socket.write(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
    )
  }

  /** Opens a tunnel; throws `Refused` when the gateway opens none. */
  static async open(way: Way): Promise<EchoTunnel> {
    const tunnel = new EchoTunnel(way)
    const isAnswered = await tunnel.#settled()
    if (!isAnswered) throw new Refused(tunnel.#fault)
    const status = tunnel.#head.slice(9, 12)
    if (status === '200') return tunnel
    tunnel.close()
    throw new Refused(`${status} ${/\r\n\r\n(\w+)/.exec(tunnel.#head)?.[1] ?? ''}`.trim())
  }

  /** Sends a message and waits for its echo; false when the tunnel ended. */
  echo(): Promise<boolean> {
    if (this.#socket.destroyed) return Promise.resolve(false)
    this.#left = MESSAGE.length
    this.#socket.write(MESSAGE)
    return this.#settled()
  }

  close(): void {
    this.#socket.destroy()
  }

  #settled(): Promise<boolean> {
    return new Promise((resolve) => (this.#done = resolve))
  }

  #receive(chunk: Buffer): void {
    if (this.#left > 0) {
      this.#left -= chunk.length
      if (this.#left <= 0) this.#done(true)
    } else if (!this.#head.includes('\r\n\r\n')) {
      this.#head += chunk.toString('latin1')
      if (this.#head.includes('\r\n\r\n')) this.#done(true)
    }
  }
}

/** Starts `perSecond` short tunnels a second, and `held` tunnels that stay open. */
export async function startLoad(
  way: Way,
  { perSecond, held }: { perSecond: number; held: number },
): Promise<Load> {
  let now: Outcome = { served: 0, refused: {}, broken: 0 }
  let bytes = 0n
  let isOver = false
  const running = new Set<Promise<void>>()
  const holding = new Map<EchoTunnel, Promise<void>>()
  const passed = () => (bytes += BigInt(2 * MESSAGE.length))
  const refused = (error: unknown) => {
    if (!(error instanceof Refused)) throw error
    now.refused[error.message] = (now.refused[error.message] ?? 0) + 1
  }
  const short = async () => {
    try {
      const tunnel = await EchoTunnel.open(way)
      if (await tunnel.echo()) {
        now.served++
        passed()
      } else now.broken++
      tunnel.close()
    } catch (error) {
      refused(error)
    }
  }
  /** Keeps a tunnel in use until it is removed from the map. */
  const hold = async (tunnel: EchoTunnel) => {
    while (holding.has(tunnel)) {
      if (!(await tunnel.echo())) {
        now.broken++
        holding.delete(tunnel)
        break
      }
      passed()
      await new Promise((resolve) => setTimeout(resolve, HELD_EVERY_MS))
    }
    tunnel.close()
  }
  const openHeld = async () => {
    for (let index = 0; index < held; index++) {
      const tunnel = await EchoTunnel.open(way).catch(refused)
      if (tunnel === undefined) continue
      holding.set(tunnel, Promise.resolve())
      holding.set(tunnel, hold(tunnel))
    }
  }
  const endHeld = async () => {
    const ending = [...holding.values()]
    holding.clear()
    await Promise.all(ending)
  }
  await openHeld()
  let begun = performance.now()
  let owed = 0
  const timer = setInterval(() => {
    const at = performance.now()
    // After a pause of this process it does not catch up on missed tunnels.
    owed += (Math.min(at - begun, 100) * perSecond) / 1000
    begun = at
    for (; owed >= 1; owed--) {
      const one = short().finally(() => running.delete(one))
      running.add(one)
    }
  }, 5)
  return {
    outcome: () => {
      const then = now
      now = { served: 0, refused: {}, broken: 0 }
      return then
    },
    bytes: () => bytes,
    renew: async () => {
      await endHeld()
      if (!isOver) await openHeld()
    },
    stop: async () => {
      isOver = true
      clearInterval(timer)
      await Promise.all(running)
      await endHeld()
    },
  }
}
