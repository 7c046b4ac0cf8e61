/**
 * Clients that connect, transfer bytes and disconnect, some of them abruptly; and the bounds of the resulting
 * charge.
 */
import { authorization, Line, tunnel } from './client.ts'
import type { Subject } from './load.ts'

const ACTORS = 24
const ROUND_MS = 20_000
/** The bytes that may be in the kernel's buffers when a client disconnects abruptly. */
const MOST_BUFFERED_BYTES = 8 * 1024 * 1024

export interface Churned {
  tunnels: number
  broken: number
  bytes: bigint
  exactRounds: number
}

/**
 * The minimum and maximum of transferred payload bytes. They are equal unless a client disconnected abruptly.
 */
interface Moved {
  least: bigint
  most: bigint
}

type Errand = (subject: Subject, index: number) => Promise<Moved>

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const below = (most: number) => Math.floor(Math.random() * most)
const exactly = (bytes: number): Moved => ({ least: BigInt(bytes), most: BigInt(bytes) })
const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T

/** A tunnel that echoes a random number of bytes. */
const echo: Errand = async (subject, index) => {
  const line = await tunnel(subject.proxy, pick(subject.targets), index)
  const bytes = 1 + below(300_000)
  let received = 0
  line.onBytes = (part) => (received += part.length)
  line.socket.write(Buffer.alloc(bytes, 'E'))
  while (received < bytes) {
    if (line.closed) throw new Error(`a tunnel ended after ${received} of ${bytes} bytes`)
    await pause(2)
  }
  await line.end()
  return exactly(bytes + received)
}

/** Several requests over one connection. */
const ask: Errand = async ({ proxy, targets }, index) => {
  const line = new Line(proxy.ports[index % proxy.ports.length] ?? 0)
  await line.connected()
  const host = `127.0.0.1:${pick(targets)}`
  const head = `GET http://${host}/small HTTP/1.1\r\nHost: ${host}\r\n${authorization(proxy, index)}\r\n`
  let moved = 0
  for (let left = 1 + below(20); left > 0; left--) {
    const answer = await line.ask(head, (got) => got.includes(`\r\n\r\n${'x'.repeat(100)}`))
    moved += head.length + answer.length
  }
  await line.end()
  return exactly(moved)
}

/** A download during which the client disconnects. */
const breakOff: Errand = async (subject, index) => {
  const line = await tunnel(subject.proxy, pick(subject.targets), index)
  const from = line.bytes
  const enough = below(3_000_000)
  line.socket.write('D')
  while (line.bytes - from < enough) {
    if (line.closed) throw new Error('a tunnel ended during its transfer')
    await pause(2)
  }
  const received = BigInt(line.bytes - from)
  line.socket.resetAndDestroy()
  return { least: received, most: received + 1n + BigInt(MOST_BUFFERED_BYTES) }
}

/**
 * Runs rounds of churn for this many minutes. After every round the charge must equal the transferred bytes:
 * exactly when no client disconnected abruptly, otherwise within the bounds of the kernel's buffers.
 * `charged` returns the settled charge.
 */
export async function churn(
  subject: Subject,
  how: { minutes: number; charged: () => Promise<bigint>; onRound: (done: Churned) => void },
): Promise<Churned> {
  const done: Churned = { tunnels: 0, broken: 0, bytes: 0n, exactRounds: 0 }
  const end = performance.now() + how.minutes * 60_000
  for (let round = 0; performance.now() < end; round++) {
    const isExact = round % 2 === 0
    const before = await how.charged()
    const moved = await oneRound(subject, isExact ? [echo, ask] : [echo, ask, breakOff], done)
    const charged = (await settled(how.charged, before + moved.least)) - before
    if (charged < moved.least || charged > moved.most)
      throw new Error(`${charged} bytes were charged for ${moved.least} to ${moved.most}`)
    done.bytes += charged
    if (isExact) done.exactRounds++
    how.onRound(done)
  }
  return done
}

async function oneRound(subject: Subject, errands: readonly Errand[], done: Churned): Promise<Moved> {
  const sum: Moved = { least: 0n, most: 0n }
  const until = performance.now() + ROUND_MS
  const actor = async (index: number) => {
    while (performance.now() < until) {
      const errand = pick(errands)
      const { least, most } = await errand(subject, index)
      sum.least += least
      sum.most += most
      done.tunnels++
      if (errand === breakOff) done.broken++
    }
  }
  await Promise.all(Array.from({ length: ACTORS }, (_, index) => actor(index)))
  return sum
}

/** The charge once it has reached its minimum and no longer changes. */
async function settled(charged: () => Promise<bigint>, least: bigint): Promise<bigint> {
  const deadline = performance.now() + 30_000
  let last = -1n
  for (let same = 0; same < 3 && performance.now() < deadline;) {
    await pause(300)
    const now = await charged()
    same = now === last && now >= least ? same + 1 : 0
    last = now
  }
  return last
}
