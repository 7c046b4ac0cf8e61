/** Load for a bench: requests over kept-alive connections, a few in flight at a time, and their cost. */
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

export interface Target {
  name: string
  method: 'GET' | 'POST'
  path: string
  /** Makes the headers of the next request. */
  headers?: () => Record<string, string>
  body?: string
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
export interface Processes {
  server: number
  database: number
}

/** Sends requests for `seconds` with this many in flight, and fails at the first answer that is not 200. */
export async function round(
  origin: URL,
  target: Target,
  processes: Processes,
  { seconds, inFlight }: { seconds: number; inFlight: number },
): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const took: number[] = []
  let bytes = 0
  const [server, database] = [cpuMs([processes.server]), cpuMs(family(processes.database))]
  const started = performance.now()
  const until = started + seconds * 1000
  const worker = async () => {
    while (performance.now() < until) {
      const sent = performance.now()
      bytes = await once(agent, origin, target)
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

function once(agent: Agent, origin: URL, { method, path, headers, body }: Target): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(
      { agent, host: origin.hostname, port: origin.port, method, path, headers: { ...type, ...headers?.() } },
      (answer) => {
        let bytes = 0
        answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
        answer.on('error', reject)
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve(bytes)
            : reject(new Error(`${method} ${path} answered ${answer.statusCode}`)),
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
