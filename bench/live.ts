/**
 * The cost for settlements when customers watch their requests: `npm run bench:live`. docs/bench-live.md has
 * the method and the results. `--pairs`, `--seconds`, `--watching`, `--customers` and `--per-second` change
 * it. In each settlement, one in `--one-in` of the customers who do not watch ends a request. `--write` puts
 * the results into that page. Exits with 1 when settlements are slower by more than 5 %.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { migrate, openDatabase } from '#db'
import { printConnection } from '#feed/connection.record'
import { keepRequests } from '#requests'
import { settle } from '#traffic'
import type { WatchOrder, Watched } from './live.watch.ts'
import { Report } from './report.ts'
import { fillShop, scaleBoot, scalePool } from './scale.rows.ts'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '5' },
    watching: { type: 'string', default: '1000' },
    customers: { type: 'string', default: '20000' },
    'per-second': { type: 'string', default: '20000' },
    'one-in': { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
})
const [pairs, seconds, watching] = [values.pairs, values.seconds, values.watching].map(Number) as [
  number,
  number,
  number,
]
const [customers, perSecond] = [Number(values.customers), Number(values['per-second'])]
/** The highest accepted ratio of a settlement's time, with watching customers to without them. */
const most = 1.05
const inOne = 1000
const oneIn = Number(values['one-in'])
const gateway = 'a'
const settledMs = 5000

const report = new Report()
report.machine()
const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-live-'))
const database = await openDatabase({ dataDir, role: 'owner' })
await migrate(database)
await fillShop(database, { customers, days: 1, gateways: [gateway] })
const { rows: leases } = await database.pool.query<{ id: bigint; access_id: bigint; account_id: bigint }>(
  'select l.id, l.access_id, s.account_id from lease l join access s on s.id = l.access_id order by l.access_id',
)
const watcher = fork(path.join(import.meta.dirname, 'live.watch.ts'))
try {
  const ready = answer<'ready'>()
  watcher.send({ dataDir, customers: watching } satisfies WatchOrder)
  await ready
  await measure()
} finally {
  watcher.removeAllListeners('exit')
  watcher.kill()
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
}
report.judge()
if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-live.md'))

function answer<T>(): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`the watching process ended with ${code}`))
    watcher.once('exit', failed)
    watcher.once('message', (message) => {
      watcher.removeListener('exit', failed)
      resolve(message as T)
    })
  })
}

interface Window {
  settleMs: number
  keepMs: number
  perSecond: number
  keptPerSecond: number
}

async function measure(): Promise<void> {
  let [sequence, batch, round] = [0, 0, 0]
  const rounds = Math.ceil(leases.length / inOne)
  const run = randomUUID()

  /**
   * Settles a thousand customers and stores the records of ended requests, as often as `--per-second`
   * requires.
   */
  async function window(): Promise<Window> {
    let [settleMs, keepMs, done, kept] = [0, 0, 0, 0]
    const started = performance.now()
    while (performance.now() - started < seconds * 1000) {
      // The watched customers are the first: each round has its share of them.
      const chosen = leases.filter((_, at) => at % rounds === round)
      const ended = leases.filter(
        (_, at) => at % rounds === round && (at < watching || ((at - round) / rounds) % oneIn === 0),
      )
      round = (round + 1) % rounds
      const atMs = database.clock.now().getTime()
      const beforeSettle = performance.now()
      await settle(database.db, [
        {
          gateway,
          boot: scaleBoot,
          sequence: ++sequence,
          at_ms: atMs,
          lines: chosen.map(({ id, access_id: access }) => ({
            lease: id,
            access,
            charged_bytes: 1500n,
            requests: 1,
            close: false,
          })),
        },
      ])
      const lines = ended.map((lease) => recordOf(lease, atMs)).join('\n')
      const beforeKeep = performance.now()
      await keepRequests(
        database.db,
        { unkept: [], batch: { gateway, boot: run, run, number: ++batch, lines } },
        { now: database.clock.now() },
      )
      const after = performance.now()
      settleMs += beforeKeep - beforeSettle
      keepMs += after - beforeKeep
      kept += ended.length
      done += chosen.length
      const aheadMs = started + (done / perSecond) * 1000 - performance.now()
      if (aheadMs > 0) await sleep(aheadMs)
    }
    const count = done / inOne
    const tookSeconds = (performance.now() - started) / 1000
    return {
      settleMs: settleMs / count,
      keepMs: keepMs / count,
      perSecond: done / tookSeconds,
      keptPerSecond: kept / tookSeconds,
    }
  }

  const turn = async (what: 'watch' | 'rest') => {
    const answered = answer<Watched>()
    watcher.send(what)
    return (await answered).streamed
  }
  await window()
  const rows: string[] = []
  const slower: { settle: number; keep: number }[] = []
  for (let pair = 1; pair <= pairs; pair++) {
    // Alternately, so that changes over time favour neither.
    const isWatchedFirst = pair % 2 === 0
    const measured: Record<'rest' | 'watch', Window | null> = { rest: null, watch: null }
    let streamed = 0
    for (const what of isWatchedFirst ? (['watch', 'rest'] as const) : (['rest', 'watch'] as const)) {
      if (what === 'watch') await turn('watch')
      // In a real shop streams open one by one, not all at once: opening them is not measured.
      await sleep(settledMs)
      measured[what] = await window()
      if (what === 'watch') streamed = await turn('rest')
    }
    const { rest, watch } = measured
    if (rest === null || watch === null) throw new Error('a window was not measured')
    slower.push({ settle: watch.settleMs / rest.settleMs, keep: watch.keepMs / rest.keepMs })
    rows.push(
      `| ${pair} | ${rest.perSecond.toFixed(0)} / ${watch.perSecond.toFixed(0)} | ${rest.settleMs.toFixed(1)} / ${watch.settleMs.toFixed(1)} ms | ${rest.keptPerSecond.toFixed(0)} / ${watch.keptPerSecond.toFixed(0)} | ${rest.keepMs.toFixed(1)} / ${watch.keepMs.toFixed(1)} ms | ${streamed} |`,
    )
  }
  report.table(
    `| pair | settled a second, unwatched / watched | a settlement of ${inOne} | records stored a second | storing a batch of them | streamed |\n|---|---|---|---|---|---|\n${rows.join('\n')}`,
  )
  const [ofSettle, ofKeep] = [median(slower.map((one) => one.settle)), median(slower.map((one) => one.keep))]
  report.say(
    `With ${watching} of ${customers} customers watching, a settlement takes ${ofSettle.toFixed(3)} times as long, and storing records ${ofKeep.toFixed(3)} times (medians of ${pairs} pairs).`,
  )
  if (ofSettle > most) report.miss(`Settlements are slower by more than ${Math.round((most - 1) * 100)} %.`)
}

function recordOf({ access_id: access, account_id: account }: (typeof leases)[number], atMs: number): string {
  return printConnection({
    id: randomUUID(),
    account,
    access,
    pool: scalePool,
    client: '198.51.100.7',
    client_port: 40_000,
    at_ms: atMs - 300,
    ended_ms: 250,
    exit: 1n,
    protocol: 'connect',
    target: 'example.com:443',
    settings: 'cc-us',
    multiplier: 1,
    country: 'us',
    authenticated_ms: 1,
    exit_chosen_ms: 2,
    connected_ms: 90,
    first_byte_ms: 140,
    outcome: 'done',
    status: null,
    code: null,
    sentence: null,
    exit_status: null,
    exit_word: null,
    target_address: null,
    exit_address: null,
    exit_port: null,
    up_bytes: 500,
    down_bytes: 1000,
    charged_up_bytes: 500,
    charged_down_bytes: 1000,
  })
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return (low + high) / 2
}
