/**
 * The phase `mix`: traffic like that of customers. Sizes are log-normal; most connections are short; most
 * targets are names; some connections use plain HTTP or SOCKS5; half use an exit that is a proxy; either side
 * ends them.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { authorization, Line, type Proxy, tunnel } from './client.ts'
import { type Costs, meter, type Subject } from './load.ts'
import { CERTIFICATE_BYTES, type End, FINISHED_BYTES, hello } from './mix.exchange.ts'

/** The proxies of one contender: connections through `chained` leave through another proxy. */
export interface MixSubject extends Subject {
  direct: { connect: Proxy | null; socks5: Proxy | null; port: number }
  chained: { connect: Proxy | null; socks5: Proxy | null; port: number }
}

const MEDIAN_BYTES = 12_000
const MEAN_BYTES = 100_000
/** The mean of a log-normal distribution is e^(σ²/2) times its median. */
const SIGMA = Math.sqrt(2 * Math.log(MEAN_BYTES / MEDIAN_BYTES))
const MOST_BYTES = 20_000_000
const LIFE_MS = 200
const SILENT_MS = 10_000
const NAMES = 1000
const SHARE = { http: 0.3, socks5: 0.2, named: 0.7, chained: 0.5, up: 0.05, targetEnds: 0.5, reset: 0.1 }
/** Requests on one kept connection. */
const KEPT = 10

/** Park and Miller's generator: every contender gets the same units in the same order. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

interface Unit {
  isHttp: boolean
  isSocks5: boolean
  name: string | null
  isChained: boolean
  bytes: number
  end: End
}

function drawn(random: () => number): Unit {
  const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())
  const bytes = Math.min(MOST_BYTES, Math.round(MEDIAN_BYTES * Math.exp(SIGMA * normal)))
  const isHttp = random() < SHARE.http
  const isSocks5 = random() < SHARE.socks5 / (1 - SHARE.http)
  const name = random() < SHARE.named ? `n${Math.floor(random() * NAMES)}.mix` : null
  const isChained = random() < SHARE.chained
  const side = random() < SHARE.targetEnds ? 'target' : 'client'
  const end: End = `${side} ${random() < SHARE.reset ? 'RST' : 'FIN'}`
  return { isHttp, isSocks5, name, isChained, bytes, end }
}

export interface MixResult {
  cpu: Costs
  units: number
  bytes: number
  failures: number
  /** Milliseconds from the connection attempt until the target's first byte. */
  firstByteMs: number[]
  seconds: number
}

class Mix {
  readonly result = { units: 0, bytes: 0, failures: 0, firstByteMs: [] as number[] }
  readonly #subject: MixSubject
  /** Kept connections over plain HTTP that no request uses, by exit. */
  readonly #kept = new Map<boolean, { line: Line; used: number }[]>([
    [true, []],
    [false, []],
  ])

  constructor(subject: MixSubject) {
    this.#subject = subject
  }

  async run(unit: Unit): Promise<void> {
    try {
      const side = unit.isChained ? this.#subject.chained : this.#subject.direct
      const { connect, socks5 } = side
      if (unit.isHttp && connect !== null) await this.#request(unit, connect, side.port)
      else
        await this.#tunnel(
          unit,
          ((unit.isSocks5 ? socks5 : connect) ?? connect ?? socks5) as Proxy,
          side.port,
        )
      this.result.units++
    } catch {
      this.result.failures++
    }
  }

  async #tunnel({ name, bytes, end }: Unit, proxy: Proxy, port: number): Promise<void> {
    const startedAt = performance.now()
    const line = await tunnel(proxy, port, this.result.units, name)
    const up = Math.min(65_536, Math.round(bytes * SHARE.up))
    const wanted = { up, down: bytes - up, delayMs: LIFE_MS - 20, end }
    await received(line, hello(wanted), CERTIFICATE_BYTES)
    this.result.firstByteMs.push(performance.now() - startedAt)
    await received(line, Buffer.alloc(FINISHED_BYTES + up), wanted.down)
    this.result.bytes += bytes + CERTIFICATE_BYTES
    if (end === 'client RST') line.socket.resetAndDestroy()
    await line.end()
  }

  async #request({ name, isChained, bytes }: Unit, proxy: Proxy, port: number): Promise<void> {
    const startedAt = performance.now()
    const kept = (this.#kept.get(isChained) ?? []).filter(({ line }) => !line.closed)
    this.#kept.set(isChained, kept)
    const from = kept.pop() ?? { line: new Line(proxy.ports[0] ?? 0), used: 0 }
    if (from.used === 0) await from.line.connected()
    const host = `${name ?? '127.0.0.1'}:${port}`
    const head = `GET http://${host}/b${bytes} HTTP/1.1\r\nHost: ${host}\r\n${authorization(proxy, 0)}\r\n`
    const first = await answered(from.line, Buffer.from(head, 'latin1'), bytes)
    this.result.firstByteMs.push(first - startedAt)
    this.result.bytes += bytes
    if (++from.used < KEPT && !from.line.closed) this.#kept.get(isChained)?.push(from)
    else await from.line.end()
  }

  async close(): Promise<void> {
    for (const lines of this.#kept.values()) for (const { line } of lines) await line.end()
  }
}

/** Fails a unit when its connection has ended, or carries no byte for ten seconds. */
function giveUp(line: Line, reject: (fault: Error) => void): void {
  const ended = () => reject(new Error('the connection ended'))
  if (line.closed) ended()
  line.onClose = ended
  line.socket.setTimeout(SILENT_MS, () => line.socket.destroy())
}

/** Sends `bytes`, then waits until `count` bytes have arrived, and discards those. */
function received(line: Line, bytes: Buffer, count: number): Promise<void> {
  let left = count
  return new Promise((resolve, reject) => {
    giveUp(line, reject)
    line.onBytes = (part) => {
      left -= part.length
      if (left <= 0) resolve()
    }
    line.socket.write(bytes)
    if (left <= 0) resolve()
  })
}

/** Sends a request and waits for an answer with a body of so many bytes; the time of its first byte. */
function answered(line: Line, head: Buffer, count: number): Promise<number> {
  let got: Buffer | null = Buffer.alloc(0)
  let left = count
  let firstAt = 0
  return new Promise((resolve, reject) => {
    giveUp(line, reject)
    line.onBytes = (part) => {
      firstAt ||= performance.now()
      if (got === null) left -= part.length
      else {
        got = Buffer.concat([got, part])
        const end = got.indexOf('\r\n\r\n')
        if (end < 0) return
        if (!got.toString('latin1', 0, 12).endsWith(' 200')) reject(new Error(got.toString('latin1', 0, 200)))
        left -= got.length - end - 4
        got = null
      }
      if (left <= 0) resolve(firstAt)
    }
    line.socket.write(head)
  })
}

/** Runs units with this concurrency, each followed by the next. */
export async function mixClosed(
  subject: MixSubject,
  { seconds, atOnce, seed }: { seconds: number; atOnce: number; seed: number },
): Promise<MixResult> {
  const random = randomOf(seed)
  return await measured(subject, async (mix, startedAt) => {
    const lane = async () => {
      while (performance.now() - startedAt < seconds * 1000) await mix.run(drawn(random))
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
  })
}

/** Starts units at random times, at this average rate per second, independently of the end of others. */
export async function mixOpen(
  subject: MixSubject,
  { seconds, perSecond, seed }: { seconds: number; perSecond: number; seed: number },
): Promise<MixResult> {
  const random = randomOf(seed)
  return await measured(subject, async (mix, startedAt) => {
    const running: Promise<void>[] = []
    for (let dueMs = 0; dueMs < seconds * 1000; dueMs += (-Math.log(random()) * 1000) / perSecond) {
      const waitMs = startedAt + dueMs - performance.now()
      if (waitMs > 1) await pause(waitMs)
      running.push(mix.run(drawn(random)))
    }
    await Promise.all(running)
  })
}

async function measured(
  subject: MixSubject,
  work: (mix: Mix, startedAt: number) => Promise<void>,
): Promise<MixResult> {
  const mix = new Mix(subject)
  const cost = meter(subject)
  const startedAt = performance.now()
  await work(mix, startedAt)
  const cpu = cost()
  const seconds = (performance.now() - startedAt) / 1000
  await mix.close()
  return { ...mix.result, cpu, seconds }
}
