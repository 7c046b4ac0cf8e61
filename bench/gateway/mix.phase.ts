/** The phase `mix` for Turnpike and its peers: the contenders, their order, and the table. */
import { pools } from '#contract/wire'
import { turnpike } from '#test/stack'
import type { Proxy } from './client.ts'
import { mixClosed, mixOpen, type MixResult, type MixSubject } from './mix.ts'
import { type Peer, startPeer } from './peers.ts'
import { median } from './report.ts'
import { startTurnpike } from './turnpike.ts'

export interface MixPlace {
  folder: string
  /** Ports with an even index are reached directly, the others through another proxy. */
  targetPorts: number[]
  rounds: number
  seconds: number
  /** The numbers of gateway workers to measure Turnpike with. */
  workers: readonly number[]
  /** The programs to compare with; those that the mix does not suit are left out. */
  peers: readonly string[]
}

/** Enough concurrent connections that their duration of 200 ms does not limit the rate. */
const AT_ONCE = 256
/** The peers that serve tunnels and can be configured with a name server and an exit. */
const PEERS = ['squid', 'dante', 'proxy-chain']
const WARM_SECONDS = 1

interface Contender {
  name: string
  subject: MixSubject
  /** One result per round: `full` at full load, `half` at half of that rate. */
  full: MixResult[]
  half: MixResult[]
  stop: () => Promise<void>
}

/** Measures the mix in rounds; returns the table. */
export async function mixPhase(place: MixPlace): Promise<string> {
  const parent = await startPeer('proxy-chain', { folder: place.folder, targetPort: 0 })
  if (parent === null) throw new Error('the proxy behind the proxies does not start')
  const contenders: Contender[] = []
  try {
    for (const workers of place.workers) contenders.push(await ourselves(workers, parent, place))
    for (const name of PEERS.filter((one) => place.peers.includes(one))) {
      const peer = await startPeer(name, { ...placeOf(parent, place), folder: place.folder, targetPort: 0 })
      if (peer !== null) contenders.push(contenderOf(peer, place))
    }
    for (const { subject } of contenders)
      await mixClosed(subject, { seconds: WARM_SECONDS, atOnce: AT_ONCE, seed: 1 })
    for (let round = 0; round < place.rounds; round++) {
      const first = round % contenders.length
      for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
        await measure(contender, place.seconds, round + 2)
    }
  } finally {
    for (const { stop } of contenders) await stop()
    await parent.stop()
  }
  return table(contenders, place)
}

async function measure(
  { name, subject, full, half }: Contender,
  seconds: number,
  seed: number,
): Promise<void> {
  const closed = await mixClosed(subject, { seconds, atOnce: AT_ONCE, seed })
  const perSecond = closed.units / closed.seconds / 2
  const open = await mixOpen(subject, { seconds, perSecond, seed })
  full.push(closed)
  half.push(open)
  console.log(
    `mix ${name}: ${perUnits(closed).toFixed(0)} ms per 1,000, ${perGb(closed).toFixed(2)} s/GB, ${(closed.units / closed.seconds).toFixed(0)}/s, ${closed.failures} failed; at half p99 ${at(open.firstByteMs, 0.99).toFixed(0)} ms, ${open.failures} failed`,
  )
}

const own = ({ cpu }: MixResult) => Object.values(cpu)[0] ?? 0
const perUnits = (result: MixResult) => own(result) / result.units
const perGb = (result: MixResult) => own(result) / 1e6 / (result.bytes / 1e9)

function at(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}

/** The proxy behind the peers, and the ports it is used for. */
const placeOf = (parent: Peer, { targetPorts }: MixPlace) => ({
  parent: { port: parent.proxy.ports[0] ?? 0, username: 'bench', password: 'secret', standby: 0 },
  chainedPorts: targetPorts.filter((_, index) => index % 2 === 1),
})

async function ourselves(workers: number, parent: Peer, { targetPorts }: MixPlace): Promise<Contender> {
  const { stack, subject } = await startTurnpike(targetPorts, { GATEWAY_WORKERS: String(workers) })
  const env = { DATA_DIR: stack.dataDir, PUBLIC_URL: stack.origin }
  const exits = async (...words: string[]): Promise<unknown> =>
    JSON.parse(await turnpike(env, 'exits', ...words, '--json'))
  const [demo] = (await exits('list', '--pool', 'mobile')) as { id: number }[]
  const at = ['--http', `127.0.0.1:${parent.proxy.ports[0]}`, '--username', 'bench', '--password', 'secret']
  await exits('add', 'mobile', 'behind', ...at, '--everywhere')
  await exits('set', String(demo?.id), '--disable')
  const side = (pool: (typeof pools)[number], index: number) => {
    const number = pools.indexOf(pool)
    const login = subject.proxy.logins[number]
    const proxy = (protocol: Proxy['protocol']): Proxy => ({
      protocol,
      ports: [subject.proxy.ports[number] ?? 0],
      logins: login === undefined ? [] : [login],
    })
    return { connect: proxy('connect'), socks5: proxy('socks5'), port: targetPorts[index] ?? 0 }
  }
  return {
    name: workers === 1 ? 'turnpike' : `turnpike, ${workers} workers`,
    subject: { ...subject, direct: side('residential', 0), chained: side('mobile', 1) },
    full: [],
    half: [],
    stop: () => stack.close(),
  }
}

function contenderOf(peer: Peer, { targetPorts }: MixPlace): Contender {
  const isSocks = peer.proxy.protocol === 'socks5'
  const side = (index: number) => ({
    connect: isSocks ? null : peer.proxy,
    socks5: isSocks ? peer.proxy : null,
    port: targetPorts[index] ?? 0,
  })
  const subject: MixSubject = {
    proxy: peer.proxy,
    targets: targetPorts,
    get processes() {
      return { proxy: peer.pids() }
    },
    direct: side(0),
    chained: side(1),
  }
  return { name: `${peer.name} ${peer.version}`.trim(), subject, full: [], half: [], stop: peer.stop }
}

function table(contenders: Contender[], { rounds, seconds }: MixPlace): string {
  const middle = (results: MixResult[], value: (result: MixResult) => number) =>
    median(results.map(value)) ?? 0
  const rows = contenders.map(({ name, full, half }) => {
    const cells = [
      middle(full, perUnits).toFixed(0),
      middle(full, perGb).toFixed(2),
      middle(full, (result) => result.units / result.seconds).toFixed(0),
      middle(half, (result) => at(result.firstByteMs, 0.5)).toFixed(0),
      middle(half, (result) => at(result.firstByteMs, 0.99)).toFixed(0),
      String([...full, ...half].reduce((sum, { failures }) => sum + failures, 0)),
    ]
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return [
    `Node ${process.version}; ${new Date().toISOString().slice(0, 10)}; medians of ${rounds} rounds of ${seconds} s each, ${AT_ONCE} at a time, after ${WARM_SECONDS} s of warm-up.`,
    '',
    '| proxy | CPU ms per 1,000 | CPU s/GB | at full load, 1/s | first byte at half load, median ms | p99, ms | failed |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n')
}
