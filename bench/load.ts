/** Load for a bench: requests over kept-alive connections, a few in flight at a time, and their cost. */
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

export interface Asked {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** JSON where it is absent. */
  type?: string
}

export interface Target extends Asked {
  name: string
  /** Makes the headers of the next act. */
  headers?: () => Record<string, string>
  /** The further requests of an act, in sequence; each is built from the answer to the previous one. */
  further?: readonly ((answer: string) => Asked)[]
}

export interface Round {
  requestsPerSecond: number
  /** Milliseconds of CPU per request. */
  serverCpuMs: number
  databaseCpuMs: number
  p50Ms: number
  p99Ms: number
  bytes: number
}

/** The processes whose CPU is counted: the web server, and PostgreSQL with its children. */
interface Processes {
  server: number
  database: number
}

/**
 * Sends requests for `seconds`, at most `most` acts, with this many in flight. Fails at the first refusal.
 */
export async function round(
  origin: URL,
  target: Target,
  processes: Processes,
  { seconds, inFlight, most = Infinity }: { seconds: number; inFlight: number; most?: number },
): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const took: number[] = []
  let bytes = 0
  const [server, database] = [cpuMs([processes.server]), cpuMs(family(processes.database))]
  let left = most
  const started = performance.now()
  const until = started + seconds * 1000
  const worker = async () => {
    while (performance.now() < until && left-- > 0) {
      const sent = performance.now()
      bytes = await act(agent, origin, target)
      took.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  const elapsedMs = performance.now() - started
  const spent = {
    server: cpuMs([processes.server]) - server,
    database: cpuMs(family(processes.database)) - database,
  }
  agent.destroy()
  const at = quantiles(took)
  return {
    requestsPerSecond: (took.length * 1000) / elapsedMs,
    serverCpuMs: spent.server / took.length,
    databaseCpuMs: spent.database / took.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    bytes,
  }
}

/** The value below which this fraction of the measurements lies. */
export function quantiles(measured: readonly number[]): (share: number) => number {
  const sorted = measured.toSorted((a, b) => a - b)
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** One act; returns the bytes of its answers. */
async function act(agent: Agent, origin: URL, { headers, further = [], ...first }: Target): Promise<number> {
  const given = headers?.() ?? {}
  let answer = await once(agent, origin, first, given)
  let bytes = answer.length
  for (const next of further) {
    answer = await once(agent, origin, next(answer.toString()), given)
    bytes += answer.length
  }
  return bytes
}

function once(
  agent: Agent,
  origin: URL,
  { method, path, body, type = 'application/json' }: Asked,
  given: Record<string, string>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { ...(body === undefined ? {} : { 'content-type': type }), ...given }
    const sent = request(
      { agent, host: origin.hostname, port: origin.port, method, path, headers },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          (answer.statusCode ?? 500) < 400
            ? resolve(Buffer.concat(chunks))
            : reject(
                new Error(
                  `${method} ${path} answered ${answer.statusCode}: ${Buffer.concat(chunks).toString()}`,
                ),
              ),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The kernel counts in hundredths of a second. */
const tickMs = 10

const statOf = (pid: number): string[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It has ended in the meantime.
    return []
  }
}

/** The CPU time of the processes, and of their children that have ended. */
export function cpuMs(pids: number[]): number {
  const ticks = pids.flatMap((pid) => statOf(pid).slice(11, 15).map(Number))
  return ticks.reduce((sum, count) => sum + count, 0) * tickMs
}

/** A process and its children; PostgreSQL's have none of their own. */
export function family(parent: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return [parent, ...pids.filter((pid) => Number(statOf(pid)[1]) === parent)]
}
