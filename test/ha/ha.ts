/**
 * `npm run test:ha`: a shop on a cluster of three nodes, whose primary is repeatedly killed, switched over or
 * cut off while customers buy and use traffic. `--kills`, `--switchovers` and `--partitions` are the numbers
 * of faults; `--route=haproxy` selects the connection through HAProxy. Exits with 1 when something was lost
 * or done twice, a tunnel broke or was refused, a byte was not or wrongly charged, or a process of the shop
 * ended. Runs in a separate network namespace.
 */
import { parseArgs } from 'node:util'
import { createClient } from '#contract/client'
import { type Database, openDatabase } from '#db'
import { runInNetwork } from '../own.network.ts'
import { makePrograms, operationsOf } from '../promises/clients.ts'
import { backAgain, reckon } from '../promises/outages.ts'
import { type Stack, startStack, until } from '../stack.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { startTraffic } from './customers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '5' },
    switchovers: { type: 'string', default: '1' },
    partitions: { type: 'string', default: '2' },
    route: { type: 'string', default: 'all' },
  },
})
const say = (text: string) => void process.stdout.write(`${text}\n`)

interface Fault {
  name: string
  begin: (cluster: Cluster) => Promise<void>
}

/** The faults by kind; a kind with two faults alternates between them. */
const kinds: Record<string, { count: number; faults: [Fault, ...Fault[]] }> = {
  kills: {
    count: Number(values.kills),
    faults: [
      { name: 'kill -9 of the server', begin: (cluster) => cluster.killPrimary('server') },
      { name: 'kill -9 of the machine', begin: (cluster) => cluster.killPrimary('machine') },
    ],
  },
  switchovers: {
    count: Number(values.switchovers),
    faults: [{ name: 'switchover', begin: (cluster) => cluster.switchover() }],
  },
  partitions: {
    count: Number(values.partitions),
    faults: [
      { name: 'cut off from all', begin: (cluster) => cluster.cutPrimary('all') },
      { name: 'cut off from the nodes alone', begin: (cluster) => cluster.cutPrimary('nodes') },
    ],
  },
}

/** All faults, each kind spread evenly over the test. */
const plan = Object.entries(kinds)
  .flatMap(([kind, { count, faults }]) =>
    Array.from({ length: count }, (_, index) => ({
      kind,
      fault: faults[index % faults.length] ?? faults[0],
      at: (index + 0.5) / count,
    })),
  )
  .toSorted((a, b) => a.at - b.at)

function medianAndWorst(seconds: readonly number[]): string {
  const sorted = seconds.toSorted((a, b) => a - b)
  return `${sorted[sorted.length >> 1]?.toFixed(1)} s (median), ${sorted.at(-1)?.toFixed(1)} s (worst)`
}

async function inside(): Promise<number> {
  const wrong: string[] = []
  const took: Record<string, number[]> = {}
  say('A cluster of three nodes is started …')
  const cluster = await startCluster()
  let stack: Stack | undefined
  let database: Database | undefined
  try {
    stack = await startStack({
      DATABASE_URL: values.route === 'haproxy' ? cluster.proxiedUrl : cluster.url,
      DATABASE_REPLICA_URL: cluster.url,
      DEMO: '1',
      DEMO_HISTORY: '0',
    })
    database = await openDatabase({ databaseUrl: cluster.url, dataDir: '', role: 'guest' })
    const { origin } = stack
    const client = (token: string | null) =>
      createClient({ baseUrl: origin, token: () => token, language: () => 'en', timeoutMs: 20_000 })
    const api = { origin, client }
    const traffic = await startTraffic(api, { database, stack })
    const programs = await makePrograms(4, api, database)
    const running = Promise.all(programs.map((program) => program.run()))
    const done = () => operationsOf(programs)
    const processes = stack.workers()
    const sell = async () => {
      const enough = done() + 12
      await until(() => done() >= enough, 60_000, 'the customers to buy')
    }
    for (const [index, { kind, fault }] of plan.entries()) {
      await sell()
      const begunAt = performance.now()
      const since = () => (performance.now() - begunAt) / 1000
      await fault.begin(cluster)
      const before = programs.map(({ operations }) => operations)
      const goingOn = () => programs.map(({ operations }, which) => operations > (before[which] ?? 0))
      await until(() => goingOn().includes(true), 120_000, 'sales to go on')
      const seconds = since()
      await until(() => !goingOn().includes(false), 120_000, 'every customer to buy again')
      say(
        `${index + 1}. ${fault.name}: sales went on after ${seconds.toFixed(1)} s, for each customer after ${since().toFixed(1)} s`,
      )
      ;(took[kind] ??= []).push(seconds)
      // A server that comes back with a diverged history would undo these sales.
      await sell()
      await cluster.mend()
    }
    await backAgain(database)
    const { summary, wrong: wrongTraffic } = await traffic.reckon()
    wrong.push(...wrongTraffic, ...(await reckon({ programs, database }, running)))
    if (String(stack.workers()) !== String(processes)) wrong.push('a gateway worker ended')
    for (const [kind, seconds] of Object.entries(took))
      say(`${seconds.length} ${kind}: sales went on after ${medianAndWorst(seconds)}`)
    say(`${done()} purchases. ${summary}`)
  } catch (error) {
    wrong.push(`${error instanceof Error ? error.stack : String(error)}\n${stack?.said().slice(-4000)}`)
  } finally {
    await database?.close()
    await stack?.close()
    await cluster.close()
  }
  say(
    wrong.length === 0
      ? 'Nothing was lost and nothing done twice; the books are in order.'
      : wrong.join('\n'),
  )
  return wrong.length === 0 ? 0 : 1
}

process.exitCode = positionals.includes('inside')
  ? await inside()
  : await runInNetwork({ file: import.meta.filename, parameters: ['inside', ...process.argv.slice(2)] })
