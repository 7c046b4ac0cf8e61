/** The loads of the bench; each returns its result and its cost in the given processes. */
import { authorization, Line, tunnel, type Proxy } from './client.ts'
import { cpuUs, residentBytes } from './processes.ts'

/** The subject of a load. */
export interface Subject {
  proxy: Proxy
  /** The target's ports. */
  targets: number[]
  /** The processes whose cost is counted, by name; the first ones are the proxy. */
  processes: Record<string, number[]>
  /** The proxy closes the client's connection after every answer without announcing it. */
  closes?: true
}

export type Costs = Record<string, number>

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const targetOf = ({ targets }: Subject, index: number) => targets[index % targets.length] ?? 0

/** The processes to measure from now on; a peer may start some later. */
export function meter(subject: Subject): () => Costs {
  const spent = () => each(subject.processes, cpuUs)
  const before = spent()
  return () =>
    Object.fromEntries(Object.entries(spent()).map(([name, us]) => [name, us - (before[name] ?? 0)]))
}

/** Downloads through this many concurrent tunnels; CPU in seconds per gigabyte. */
export async function bulk(
  subject: Subject,
  { tunnels, seconds }: { tunnels: number; seconds: number },
): Promise<{ gigabytesPerSecond: number; fairness: number; cpu: Costs }> {
  const lines = await Promise.all(
    Array.from({ length: tunnels }, (_, index) => tunnel(subject.proxy, targetOf(subject, index), index)),
  )
  for (const line of lines) line.socket.write('D')
  await pause(300)
  const before = lines.map(({ bytes }) => bytes)
  const started = performance.now()
  const cost = meter(subject)
  await pause(seconds * 1000)
  const cpu = cost()
  const elapsed = (performance.now() - started) / 1000
  const got = lines.map(({ bytes }, index) => bytes - (before[index] ?? 0))
  if (lines.some(({ closed }) => closed)) throw new Error('a tunnel ended during its transfer')
  for (const { socket } of lines) socket.destroy()
  const gigabytes = got.reduce((sum, bytes) => sum + bytes, 0) / 1e9
  return {
    gigabytesPerSecond: gigabytes / elapsed,
    fairness: Math.min(...got) / Math.max(...got),
    cpu: each(cpu, (us) => us / 1e6 / gigabytes),
  }
}

/** A kilobyte, echoed by the target. */
const KILOBYTE = Buffer.alloc(1024, 'E')

/**
 * Opens a tunnel, echoes a kilobyte, closes it, and repeats, 32 concurrently; CPU in microseconds per tunnel.
 */
export async function tunnels(subject: Subject, seconds: number): Promise<{ perSecond: number; cpu: Costs }> {
  return await per(subject, { seconds }, async (work) => {
    await times(32, async () => {
      while (work.goesOn()) {
        const index = work.count++
        const line = await tunnel(subject.proxy, targetOf(subject, index), index)
        await line.ask(KILOBYTE, (got) => got.length >= KILOBYTE.length)
        await line.end()
      }
    })
  })
}

/**
 * As `tunnels`, but to the names of these numbers, 128 concurrently, for a time or a number of tunnels; CPU
 * in microseconds per tunnel.
 */
export async function tunnelsByName(
  subject: Subject,
  nameOf: (index: number) => string,
  until: Until,
): Promise<{ perSecond: number; cpu: Costs }> {
  return await per(subject, until, async (work) => {
    await times(128, async () => {
      while (work.goesOn()) {
        const index = work.count++
        const line = await tunnel(subject.proxy, targetOf(subject, index), index, nameOf(index))
        await line.ask('E', (got) => got.length > 0)
        await line.end()
      }
    })
  })
}

/** Small GETs over 16 kept connections, one at a time on each; CPU in microseconds per request. */
export async function requests(
  subject: Subject,
  seconds: number,
): Promise<{ perSecond: number; cpu: Costs }> {
  const { proxy } = subject
  return await per(subject, { seconds }, async (work) => {
    await times(16, async (index) => {
      const host = `127.0.0.1:${targetOf(subject, index)}`
      // Different paths, otherwise identical, as a program's requests are.
      const rest = ` HTTP/1.1\r\nHost: ${host}\r\n${authorization(proxy, index)}\r\n`
      const head = () => Buffer.from(`GET http://${host}/small?${work.count}${rest}`, 'latin1')
      while (work.goesOn()) {
        const line = new Line(proxy.ports[index % proxy.ports.length] ?? 0)
        await line.connected()
        await askOften(line, head, work, subject.closes === true)
        await line.end()
      }
    })
  })
}

/** The repeated work, and its count. */
interface Work {
  count: number
  goesOn: () => boolean
}

type Until = { seconds: number } | { times: number }

/**
 * Repeats the work for a number of seconds, which limits slow peers too, or a number of times. Returns
 * microseconds of CPU for each repetition.
 */
async function per(
  subject: Subject,
  until: Until,
  run: (work: Work) => Promise<void>,
): Promise<{ perSecond: number; cpu: Costs }> {
  const started = performance.now()
  const cost = meter(subject)
  const goesOn = () =>
    'seconds' in until ? performance.now() - started < until.seconds * 1000 : work.count < until.times
  const work: Work = { count: 0, goesOn }
  await run(work)
  const perSecond = (work.count * 1000) / (performance.now() - started)
  return { perSecond, cpu: each(cost(), (us) => us / work.count) }
}

/**
 * Sends a request, and the next one as soon as the answer is complete, while the work continues and the
 * connection is kept: a load generator more expensive than its subject would measure a mostly idle proxy.
 * Some peers close the connection after each answer; the next request must not race with that.
 */
function askOften(line: Line, head: () => Buffer, work: Work, closes: boolean): Promise<void> {
  let held: Buffer | null = null
  return new Promise((resolve, reject) => {
    const ask = () => {
      work.count++
      line.send(head())
    }
    line.onClose = () => reject(new Error(`the connection ended: ${held?.toString('latin1') ?? ''}`))
    line.onBytes = (bytes) => {
      const got = held === null ? bytes : Buffer.concat([held, bytes])
      if (!isWhole(got)) {
        held = Buffer.from(got)
        return
      }
      held = null
      if (!got.toString('latin1', 0, 12).endsWith(' 200')) reject(new Error(got.toString('latin1')))
      else if (work.goesOn() && !closes && !/\r\nconnection: close/i.test(got.toString('latin1'))) ask()
      else {
        line.onBytes = null
        resolve()
      }
    }
    ask()
  })
}

const HEAD_END = Buffer.from('\r\n\r\n')

function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf(HEAD_END)
  if (end < 0) return false
  return answer.length >= end + 4 + (answer.toString('latin1', 9, 12) === '200' ? 100 : 0)
}

/** The round trip of one byte over an open tunnel, in microseconds. */
export async function latency(
  line: Line,
  { count }: { count: number },
): Promise<{ p50Us: number; p99Us: number }> {
  const took: number[] = []
  for (let left = count; left > 0; left--) {
    const sent = performance.now()
    await line.ask('E', (got) => got.length > 0)
    took.push((performance.now() - sent) * 1000)
  }
  line.socket.destroy()
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { p50Us: at(0.5), p99Us: at(0.99) }
}

/** Opens this many tunnels, each of which has echoed one byte, and keeps them. */
export async function idle(subject: Subject, count: number): Promise<Line[]> {
  const lines: Line[] = []
  await times(64, async (first) => {
    for (let index = first; index < count; index += 64) {
      const line = await tunnel(subject.proxy, targetOf(subject, index), index)
      await line.ask('E', (got) => got.length > 0)
      lines.push(line)
    }
  })
  return lines
}

/**
 * The memory per idle tunnel in KiB of a proxy that was just started, after a few hundred tunnels. Throws
 * when memory did not grow, because the tunnels then used memory that the proxy had free.
 */
export async function idleMemory(subject: Subject, count: number): Promise<number> {
  const memory = () => residentBytes(Object.values(subject.processes)[0] ?? [])
  const warm = await idle(subject, 300)
  await Promise.all(warm.map((line) => line.end()))
  await pause(1500)
  const before = memory()
  const lines = await idle(subject, count)
  await pause(3000)
  const after = memory()
  if (lines.some(({ closed }) => closed)) throw new Error('an idle tunnel was ended')
  for (const { socket } of lines) socket.destroy()
  await pause(1000)
  if (after <= before) throw new Error('the memory did not grow')
  return (after - before) / 1024 / count
}

function each<T>(all: Record<string, T>, change: (one: T) => number): Costs {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one)]))
}

function times(count: number, work: (index: number) => Promise<void>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)))
}
