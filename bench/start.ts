/**
 * How long Turnpike takes to start, and its memory when idle: `npm run bench:start`. docs/bench-start.md has
 * the method and the results. `--runs` and `--idle` (seconds) change it, `--only commands,starts,memory,parts,tunnels` measures
 * less, `--tree` measures another checkout, with packages and built pages, and `--write` puts the results into that page. Exits with 1 when an aim is missed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '#contract/client'
import { pools } from '#contract/wire'
import { press } from '#test/app'
import { startOrigin } from '#test/origin'
import { freePort, freePortBase } from '#test/ports'
import { lineOf } from '#test/stack'
import type { Way } from '../test/whole/visitor.ts'
import { tunnels } from './gateway/load.ts'
import { cpuUs } from './gateway/processes.ts'
import { startTarget } from './gateway/target.ts'
import { Report } from './report.ts'
import { type Caller, measureTree, relays, runCommand, Running, serves, until } from './start.processes.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    idle: { type: 'string', default: '60' },
    only: { type: 'string', default: 'commands,starts,memory,parts,tunnels' },
    tree: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
const idleMs = Number(values.idle) * 1000
const only = new Set(values.only.split(','))

/** The aims: milliseconds of wall time, MiB, and the ratio of a tunnel of the first second to a later one. */
const aims = { help: 400, command: 1000, start: 3000, up: 350, parts: 700, first: 1.3 }

/** The parts of the phase of tunnels: the first of them, those that warm the worker up, and the later ones. */
const [firstSeconds, warmSeconds, laterSeconds] = [1, 15, 3]

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
const spread = (all: readonly number[]) => `${seconds(Math.min(...all))} to ${seconds(Math.max(...all))}`

if (values.tree !== undefined) measureTree(values.tree)
const report = new Report()
report.machine()
const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-start-'))
const [port, deskPort, portBase] = [await freePort(), await freePort(), await freePortBase()]
const origin = `http://127.0.0.1:${port}`
const env = {
  DATA_DIR: dataDir,
  PORT: String(port),
  PUBLIC_URL: origin,
  DESK_LISTEN: `127.0.0.1:${deskPort}`,
  GATEWAY_PORT_BASE: String(portBase),
  GATEWAY_ALLOW: '127.0.0.1',
  DEMO_HISTORY: '0',
}
const target = await startOrigin()
try {
  const way = await prepare()
  if (only.has('commands')) await measureCommands()
  if (only.has('starts')) await measureStarts(way)
  if (only.has('memory')) await measureUp()
  if (only.has('parts')) await measureParts()
  if (only.has('tunnels')) await measureTunnels(way)
} finally {
  await target.close()
  rmSync(dataDir, { recursive: true, force: true })
}
report.judge()
if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-start.md'))

/** Runs `work` beside a started shop. */
async function beside<T>(more: Record<string, string>, work: (running: Running) => Promise<T>): Promise<T> {
  const running = new Running()
  running.start('release', ['up'], { ...env, ...more })
  try {
    await until(serves(origin))
    return await work(running)
  } finally {
    await running.stop()
  }
}

/** Makes the shop, whose customer buys traffic; returns the customer's way through the gateway. */
async function prepare(): Promise<Way> {
  const way = await beside({}, async () => {
    const { customer } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as {
      customer: { username: string; password: string }
    }
    const options = { baseUrl: origin, language: () => 'en' as const, timeoutMs: 20_000 }
    const token = await createClient({ ...options, token: () => null })('signin', customer)
    const call = createClient({ ...options, token: () => token })
    const order = { payment_method: 'sandbox', amount: 1000, pool: pools[0] } as const
    const url = await call('create_invoice_web', order)
    await press(origin, url.split('/').at(-1) ?? '', 'paid')
    const line = await lineOf(call, pools[0])
    return { port: portBase, ...line, target: { host: target.host, port: target.httpPort } }
  })
  // The compiled sources of every program are in the cache from now on.
  await beside({}, async () => undefined)
  return way
}

/** The middle one of the values. */
function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
}

async function times<T>(work: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let left = runs; left > 0; left--) results.push(await work())
  return results
}

function judge(what: string, value: number, aim: number, text: (value: number) => string): void {
  if (value > aim) report.miss(`${what}: ${text(value)}, where the aim is ${text(aim)}.`)
}

async function measureCommands(): Promise<void> {
  const commands: [caller: Caller, words: string[], aim: number | null][] = [
    ['release', ['--version'], aims.help],
    ['release', ['doctor', '--help'], aims.help],
    ['release', ['doctor'], aims.command],
    ['release', ['customers', 'list'], aims.command],
    ['release', ['invoices', 'list'], aims.command],
    ['release', ['settings'], aims.command],
    ['clone', ['doctor', '--help'], null],
  ]
  const rows: string[] = []
  await beside({}, async () => {
    for (const [caller, words, aim] of commands) {
      await runCommand(caller, words, env)
      const costs = await times(() => runCommand(caller, words, env))
      const walls = costs.map(({ wallMs }) => wallMs)
      const what = `${caller === 'clone' ? 'npm run turnpike --' : 'turnpike'} ${words.join(' ')}`
      const cpu = seconds(median(costs.map(({ cpuMs }) => cpuMs)))
      rows.push(`| \`${what}\` | ${seconds(median(walls))} | ${spread(walls)} | ${cpu} |`)
      if (aim !== null) judge(what, median(walls), aim, seconds)
    }
  })
  report.table(
    ['| command, beside a running shop | wall | from to | CPU |', '|---|---|---|---|', ...rows].join('\n'),
  )
}

async function measureStarts(way: Way): Promise<void> {
  const rows: string[] = []
  for (const [caller, what] of [
    ['release', 'turnpike up'],
    ['clone', 'npm start'],
  ] as const) {
    const starts = await times(() => oneStart(caller, way))
    for (const [milestone, title] of [
      ['serves', 'until the shop answers'],
      ['relays', 'until a byte comes through the gateway'],
    ] as const) {
      const walls = starts.map((start) => start[milestone])
      const cpu = seconds(median(starts.map(({ cpuMs }) => cpuMs)))
      rows.push(`| \`${what}\` ${title} | ${seconds(median(walls))} | ${spread(walls)} | ${cpu} |`)
      judge(`${what} ${title}`, median(walls), aims.start, seconds)
    }
  }
  report.table(['| start | wall | from to | CPU until both |', '|---|---|---|---|', ...rows].join('\n'))
}

/** The milliseconds from a start to its milestones. */
async function oneStart(
  caller: Caller,
  way: Way,
): Promise<{ serves: number; relays: number; cpuMs: number }> {
  const running = new Running()
  const begun = performance.now()
  running.start(caller, ['up'], env)
  try {
    const [served, relayed] = await Promise.all([until(serves(origin), begun), until(relays(way), begun)])
    return { serves: served, relays: relayed, cpuMs: cpuUs(running.pids) / 1000 }
  } finally {
    await running.stop()
  }
}

/** The medians of the memory of each kind of process, and their sum. */
function memoryTable(title: string, memories: readonly Map<string, number>[], aim: number): void {
  const kinds = [...new Set(memories.flatMap((memory) => [...memory.keys()]))]
  const sums = memories.map((memory) => [...memory.values()].reduce((sum, one) => sum + one, 0))
  const mib = (value: number) => `${value.toFixed(0)} MiB`
  const rows = kinds.map((kind) => `| ${kind} | ${mib(median(memories.map((one) => one.get(kind) ?? 0)))} |`)
  report.table([`| ${title} | PSS |`, '|---|---|', ...rows, `| all | ${mib(median(sums))} |`].join('\n'))
  judge(title, median(sums), aim, mib)
}

async function measureUp(): Promise<void> {
  const memories = await times(() =>
    beside({}, async (running) => {
      await sleep(idleMs)
      return running.memory()
    }),
  )
  memoryTable('`turnpike up`, idle', memories, aims.up)
}

/** Every part as a process of its own. Each of them uses the embedded database, which the first one starts. */
async function measureParts(): Promise<void> {
  const memories = await times(async () => {
    const running = new Running()
    const ofFeed = { FEED_LISTEN: `unix:${path.join(dataDir, 'feed.sock')}`, FEED_TOKEN: 'x'.repeat(40) }
    for (const name of ['api', 'desk', 'worker', 'feed', 'gateway'])
      running.start('release', [name], { ...env, ...(name === 'feed' ? ofFeed : {}) })
    try {
      await until(serves(origin))
      await sleep(idleMs)
      return running.memory()
    } finally {
      await running.stop()
    }
  })
  memoryTable('separate parts, idle', memories, aims.parts)
}

/** One worker: what a tunnel costs it in its first second of tunnels, and later. */
async function measureTunnels(way: Way): Promise<void> {
  const echo = await startTarget()
  try {
    const measured = await times(() =>
      beside({ GATEWAY_WORKERS: '1' }, async (running) => {
        await until(relays(way))
        await sleep(1000)
        const proxy = {
          protocol: 'connect' as const,
          ports: [portBase],
          logins: [{ user: way.login, password: way.password }],
        }
        const subject = { proxy, targets: echo.ports, processes: { worker: running.workers() } }
        const first = (await tunnels(subject, firstSeconds)).cpu['worker'] ?? 0
        await tunnels(subject, warmSeconds)
        const later = (await tunnels(subject, laterSeconds)).cpu['worker'] ?? 0
        return { first, later, ratio: first / later }
      }),
    )
    const of = (what: 'first' | 'later' | 'ratio') => median(measured.map((one) => one[what]))
    const cells = [`${of('first').toFixed(0)} µs`, `${of('later').toFixed(0)} µs`, of('ratio').toFixed(2)]
    report.table(
      [
        '| CPU of a tunnel in the first second | after 15 s | ratio |',
        '|---|---|---|',
        `| ${cells.join(' | ')} |`,
      ].join('\n'),
    )
    judge('A tunnel of the first second', of('ratio'), aims.first, (value) => value.toFixed(2))
  } finally {
    echo.close()
  }
}
