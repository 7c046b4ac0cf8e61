/**
 * Measures the gateway's cost in comparison with other proxies: `npm run bench:gateway`.
 * docs/bench-gateway.md has the method, and a complete run rewrites its table. `--quick` takes three minutes
 * and writes nothing.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Line, tunnel } from './client.ts'
import { distance } from './distance.ts'
import {
  bulk,
  type Costs,
  idleMemory,
  latency,
  requests,
  type Subject,
  tunnels,
  tunnelsByName,
} from './load.ts'
import { runInNamespace } from './namespace.ts'
import { mixPhase } from './mix.phase.ts'
import { type Peer, peerNames, startPeer } from './peers.ts'
import { type Figures, report, type Result, writeReport } from './report.ts'
import { startNameServer, startTarget } from './target.ts'
import { startTurnpike } from './turnpike.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    peers: { type: 'string' },
    rounds: { type: 'string' },
    /** The numbers of gateway workers to measure Turnpike with. */
    workers: { type: 'string' },
    phases: {
      type: 'string',
      default: 'idle,bulk1,bulk8,bulk64,tunnels,requests,latency,names,distance,mix',
    },
    /** The duration of each round of the phase `mix`. */
    seconds: { type: 'string' },
    /** Seconds of tunnels, and of requests, before they are measured. */
    warm: { type: 'string' },
    write: { type: 'boolean', default: false },
    /** Set by this program when it has restarted itself in a network namespace with a name server. */
    inside: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds ?? (values.quick ? 3 : 5))
const peers = values.peers?.split(',').filter(Boolean) ?? (values.quick ? ['squid', 'haproxy'] : peerNames)
// Measured with one process, like each of the peers, and with two, the default on two cores.
const workerCounts = values.workers?.split(',').map(Number) ?? (values.quick ? [1] : [1, 2])
const phases = new Set(values.phases.split(','))
if (!values.inside) {
  const code = await runInNamespace([import.meta.filename, '--inside', ...process.argv.slice(2)])
  if (code !== null) process.exit(code)
  console.log('names and mix are left out: this machine allows no network namespace (unshare)')
  phases.delete('names')
  phases.delete('mix')
}
const size = values.quick
  ? { seconds: 1.5, smallSeconds: 2, warmSeconds: 5, latency: 1000, idle: 2000 }
  : { seconds: 2, smallSeconds: 4, warmSeconds: 6, latency: 2000, idle: 10_000 }
const warmSeconds = Number(values.warm ?? size.warmSeconds)
/** The limit of open files per process: two for each tunnel, and some others. */
const filesPerProcess = Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])

const NAMES = 1000
/** The number of names used so far. */
let named = 0
/** A name that no proxy has resolved before. */
const newName = () => `n${named++}.bench`

interface Contender {
  name: string
  version: string
  subject: Subject
  tunnels: boolean
  requests: boolean
  processes: number
  stop: () => Promise<void>
}

const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-'))
// Squid drops its privileges and must still read its files.
execFileSync('chmod', ['755', folder])
const target = await startTarget()
const nameServer = values.inside ? await startNameServer() : null
const started = performance.now()
try {
  if (phases.delete('distance')) {
    const text = await distance({ folder, targetPort: target.ports[0] ?? 0, tunnels: values.quick ? 15 : 30 })
    console.log(`${text}\n`)
    if (values.write || (!values.quick && values.peers === undefined)) writeReport('distance', text)
  }
  if (phases.delete('mix')) {
    const seconds = Number(values.seconds ?? (values.quick ? 4 : 8))
    const size = { rounds, seconds, peers, workers: workerCounts }
    const text = await mixPhase({ folder, targetPorts: target.ports, ...size })
    console.log(`${text}\n`)
    if (values.write || (!values.quick && values.peers === undefined)) writeReport('mix', text)
  }
  if (phases.size > 0) await compare()
} finally {
  target.close()
  nameServer?.close()
  rmSync(folder, { recursive: true, force: true })
}

/** All measurements that are compared with the peers, in rounds. */
async function compare(): Promise<void> {
  const contenders: Contender[] = []
  const results = new Map<string, Result>()
  const idleKib = phases.delete('idle') ? await measureIdle() : new Map<string, number>()
  try {
    for (const start of starts()) {
      // Adds each contender as it starts, so that all running ones can be stopped.
      const contender = await start()
      if (contender === null) continue
      contenders.push(contender)
      const { name, version } = contender
      results.set(name, { name, version, figures: [], idleKib: idleKib.get(name) ?? null, first: null })
    }
    for (const contender of contenders) await warmUp(contender, results)
    for (let round = 1; round <= rounds; round++) {
      // The order changes with each round, since the first contender meets different caches.
      const first = round % contenders.length
      for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
        const figures = await measure(contender)
        results.get(contender.name)?.figures.push(figures)
        const text = Object.entries(figures).map(([key, value]) => `${key} ${value.toPrecision(3)}`)
        console.log(`${round}/${rounds} ${contender.name}: ${text.join(', ')}`)
      }
    }
  } finally {
    for (const { stop } of contenders) await stop()
  }
  const minutes = (performance.now() - started) / 60_000
  const text = report([...results.values()], { rounds, minutes, idle: size.idle })
  console.log(`\n${text}`)
  if (values.write || (!values.quick && values.peers === undefined)) writeReport('measured', text)
}

/** Starts one contender; null: it is not installed. */
type Start = () => Promise<Contender | null>

function starts(): Start[] {
  return [
    ...workerCounts.map((count) => () => startOwn(count)),
    ...peers.map((name) => async () => {
      const peer = await startPeer(name, { folder, targetPort: target.ports[0] ?? 0 })
      return peer === null ? null : contenderOf(peer)
    }),
  ]
}

async function startOwn(workers: number): Promise<Contender> {
  const { stack, subject } = await startTurnpike(target.ports, { GATEWAY_WORKERS: String(workers) })
  const name = workers === 1 ? 'turnpike' : `turnpike, ${workers} workers`
  const can = { tunnels: true, requests: true }
  return { name, version: '', subject, ...can, processes: workers, stop: () => stack.close() }
}

function contenderOf({ name, version, proxy, pids, stop, ...can }: Peer): Contender {
  const subject: Subject = {
    proxy,
    // A peer with a single configured server reaches no other target.
    targets: can.tunnels ? target.ports : target.ports.slice(0, 1),
    ...(can.closes && { closes: true }),
    // Some peers start processes on demand.
    get processes() {
      return { proxy: pids() }
    },
  }
  return { name, version, subject, tunnels: can.tunnels, requests: can.requests, processes: 1, stop }
}

/**
 * The memory per idle tunnel, by the contender's name. Each contender is started for this measurement alone:
 * after other loads its memory has grown already, and new tunnels would use memory that it has free.
 */
async function measureIdle(): Promise<Map<string, number>> {
  const measured = new Map<string, number>()
  for (const start of starts()) {
    const contender = await start()
    if (contender === null) continue
    const { name, subject, processes, stop } = contender
    const count = Math.min(size.idle, Math.floor((filesPerProcess - 600) / 2) * processes)
    try {
      if (!contender.tunnels) continue
      const kib = await idleMemory(subject, count)
      measured.set(name, kib)
      console.log(`${name}: ${kib.toFixed(1)} KiB for each of ${count} idle tunnels`)
    } catch (error) {
      console.log(`${name} did not hold ${count} idle tunnels: ${(error as Error).message}`)
    } finally {
      await stop()
    }
  }
  return measured
}

/** Code is slow until it is compiled: the tunnels of these first seconds are reported separately. */
async function warmUp({ name, subject, ...can }: Contender, results: Map<string, Result>): Promise<void> {
  const result = results.get(name)
  if (can.tunnels && phases.has('tunnels') && result !== undefined) {
    const [us = 0] = Object.values((await tunnels(subject, warmSeconds)).cpu)
    result.first = { us, seconds: warmSeconds }
  }
  if (can.tunnels && phases.has('names')) await tunnelsByName(subject, newName, { seconds: warmSeconds })
  if (can.requests && phases.has('requests')) await requests(subject, warmSeconds)
}

/** One round of everything that the contender supports. */
async function measure({ subject, ...can }: Contender): Promise<Figures> {
  const figures: Figures = {}
  const costs = (what: string, cpu: Costs) => {
    for (const [name, cost] of Object.entries(cpu))
      figures[name === 'proxy' || name === 'gateway' ? what : `${what} ${name}`] = cost
  }
  if (can.tunnels) {
    for (const count of [1, 8, 64]) {
      if (!phases.has(`bulk${count}`)) continue
      const { cpu, fairness, gigabytesPerSecond } = await bulk(subject, {
        tunnels: count,
        seconds: size.seconds,
      })
      costs(`bulk${count}`, cpu)
      figures[`bulk${count} GB/s`] = gigabytesPerSecond
      if (count > 1) figures[`fairness of ${count}`] = fairness
    }
    if (phases.has('tunnels')) {
      const { cpu, perSecond } = await tunnels(subject, size.smallSeconds)
      costs('tunnels', cpu)
      figures['tunnels/s'] = perSecond
    }
    if (phases.has('names')) {
      const first = named
      const fresh = await tunnelsByName(subject, newName, { times: NAMES })
      costs('names new', fresh.cpu)
      figures['names new/s'] = fresh.perSecond
      const knownName = (index: number) => `n${first + (index % NAMES)}.bench`
      const known = await tunnelsByName(subject, knownName, { seconds: size.smallSeconds })
      costs('names known', known.cpu)
      figures['names known/s'] = known.perSecond
    }
    if (phases.has('latency')) figures['latency'] = await addedLatency(subject)
  }
  if (can.requests && phases.has('requests')) {
    const { cpu, perSecond } = await requests(subject, size.smallSeconds)
    costs('requests', cpu)
    figures['requests/s'] = perSecond
  }
  return figures
}

/** The microseconds that the proxy adds to a byte's round trip. */
async function addedLatency({ proxy, targets }: Subject): Promise<number> {
  const port = targets[0] ?? 0
  const direct = new Line(port)
  await direct.connected()
  const without = await latency(direct, { count: size.latency })
  const through = await latency(await tunnel(proxy, port), { count: size.latency })
  return through.p50Us - without.p50Us
}
