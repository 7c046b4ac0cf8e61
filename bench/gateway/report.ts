/** The bench's table, and its place in the documentation. */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import path from 'node:path'

/** The results of one round, by name. */
export type Figures = Record<string, number>

export interface Result {
  name: string
  version: string
  figures: Figures[]
  /** KiB per idle tunnel. */
  idleKib: number | null
  /** CPU in microseconds per tunnel in the first seconds after the start; null: not measured. */
  first: { us: number; seconds: number } | null
}

interface Column {
  head: string
  key: string
  digits: number
}

const COLUMNS: Column[] = [
  { head: '1 tunnel, CPU s/GB', key: 'bulk1', digits: 2 },
  { head: '8 tunnels, CPU s/GB', key: 'bulk8', digits: 2 },
  { head: '64 tunnels, CPU s/GB', key: 'bulk64', digits: 2 },
  { head: 'slowest of 8 / fastest', key: 'fairness of 8', digits: 2 },
  { head: 'slowest of 64 / fastest', key: 'fairness of 64', digits: 2 },
  { head: 'CPU µs per tunnel', key: 'tunnels', digits: 0 },
  { head: 'CPU µs per request', key: 'requests', digits: 1 },
  { head: 'added latency, µs', key: 'latency', digits: 0 },
]

/** The results of the phase `names`, which has its own table. */
const NAME_COLUMNS: Column[] = [
  { head: 'new names, CPU µs per tunnel', key: 'names new', digits: 0 },
  { head: 'new names, tunnels/s', key: 'names new/s', digits: 0 },
  { head: 'known names, CPU µs per tunnel', key: 'names known', digits: 0 },
  { head: 'known names, tunnels/s', key: 'names known/s', digits: 0 },
]

/** The goals, as fractions of squid's cost and as absolute limits. */
const AIMS = [
  { what: 'CPU per GB with 8 tunnels', key: 'bulk8', most: 0.6 },
  { what: 'CPU per tunnel', key: 'tunnels', most: 1 },
  { what: 'CPU per request', key: 'requests', most: 0.4 },
]
const MOST_IDLE_KIB = 9
const LEAST_FAIRNESS = 0.1

/** The median (the upper one of two); null: there are no numbers. */
export function median(numbers: number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? null
}

const of = (result: Result, key: string) =>
  median(result.figures.map((figures) => figures[key]).filter((value) => value !== undefined))

/** "median (lowest–highest)". */
function cell(result: Result, { key, digits }: Column): string {
  const values = result.figures.map((figures) => figures[key]).filter((value) => value !== undefined)
  const middle = median(values)
  if (middle === null) return '–'
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return `${middle.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}

/** The whole report as Markdown. */
export function report(
  results: Result[],
  { rounds, minutes, idle }: { rounds: number; minutes: number; idle: number },
): string {
  const heads = [...COLUMNS.map(({ head }) => head), 'KiB per idle tunnel']
  const rows = results.map((result) => `${rowOf(result, COLUMNS)} ${result.idleKib?.toFixed(1) ?? '–'} |`)
  const [cpu] = cpus()
  return [
    `Node ${process.version}, ${availableParallelism()} cores of ${cpu?.model ?? 'unknown'}; ${new Date().toISOString().slice(0, 10)}; ${minutes.toFixed(1)} minutes; up to ${idle} idle tunnels. Medians of ${rounds} rounds, with the lowest and highest.`,
    '',
    `| proxy | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '---:').join('|')}|`,
    ...rows,
    '',
    ...byName(results),
    ...firstTunnels(results),
    ...rest(results),
    ...aims(results),
  ].join('\n')
}

function rowOf(result: Result, columns: Column[]): string {
  const name = result.version === '' ? result.name : `${result.name} ${result.version}`
  return `| ${name} | ${columns.map((column) => cell(result, column)).join(' | ')} |`
}

/** Tunnels by name, if measured. */
function byName(results: Result[]): string[] {
  const measured = results.filter((result) => of(result, 'names new') !== null)
  if (measured.length === 0) return []
  return [
    `| by name | ${NAME_COLUMNS.map(({ head }) => head).join(' | ')} |`,
    `|---|${NAME_COLUMNS.map(() => '---:').join('|')}|`,
    ...measured.map((result) => rowOf(result, NAME_COLUMNS)),
    '',
  ]
}

/** Tunnels right after the start, if measured. */
function firstTunnels(results: Result[]): string[] {
  const costs = results.flatMap(({ name, first }) => (first ? [`${name} ${first.us.toFixed(0)}`] : []))
  const seconds = results.find(({ first }) => first !== null)?.first?.seconds
  if (seconds === undefined) return []
  return [`CPU µs per tunnel in the first ${seconds} s after the start: ${costs.join(', ')}.`, '']
}

/** The cost of Turnpike's other processes during the gateway's work. */
function rest(results: Result[]): string[] {
  const own = results.find(({ name }) => name === 'turnpike')
  if (own === undefined) return []
  const parts = [
    ['bulk8', 's/GB with 8 tunnels', 3],
    ['tunnels', 'µs per tunnel', 0],
    ['requests', 'µs per request', 1],
    ['names new', 'µs per tunnel by a new name', 0],
    ['names known', 'µs per tunnel by a known name', 0],
  ] as const
  const lines = parts.flatMap(([key, unit, digits]) => {
    const [server, postgres] = [of(own, `${key} server`), of(own, `${key} postgres`)]
    if (server === null || postgres === null) return []
    return [`${server.toFixed(digits)} and ${postgres.toFixed(digits)} ${unit}`]
  })
  if (lines.length === 0) return []
  return [
    `Beside the gateway, Turnpike's server and its PostgreSQL took, in this order, ${lines.join('; ')}.`,
    '',
  ]
}

/** The table of goals, with one column for each number of workers. */
function aims(results: Result[]): string[] {
  const own = results.filter(({ name }) => name.startsWith('turnpike'))
  const squid = results.find(({ name }) => name === 'squid')
  if (own.length === 0 || squid === undefined) return []
  const row = (what: string, asked: string, judge: (one: Result) => [number, boolean] | null) => {
    const cells = own.map((one) => {
      const [value, met] = judge(one) ?? [null, false]
      return value === null ? '–' : `${value.toFixed(2)}, ${met ? 'met' : 'missed'}`
    })
    return cells.every((cell) => cell === '–') ? [] : [`| ${what} | ${asked} | ${cells.join(' | ')} |`]
  }
  const shares = AIMS.flatMap(({ what, key, most }) =>
    row(`${what}, of squid's`, `≤ ${most}`, (one) => {
      const [mine, theirs] = [of(one, key), of(squid, key)]
      return mine === null || theirs === null ? null : [mine / theirs, mine / theirs <= most]
    }),
  )
  if (shares.length === 0 && own.every(({ idleKib }) => idleKib === null)) return []
  return [
    `| aim | asked | ${own.map(({ name }) => name).join(' | ')} |`,
    `|---|---:|${own.map(() => '---:|').join('')}`,
    ...shares,
    ...row('KiB per idle tunnel', `≤ ${MOST_IDLE_KIB}`, ({ idleKib }) =>
      idleKib === null ? null : [idleKib, idleKib <= MOST_IDLE_KIB],
    ),
    ...row('slowest of 64 tunnels, of the fastest', `≥ ${LEAST_FAIRNESS}`, (one) => {
      const fairness = of(one, 'fairness of 64')
      return fairness === null ? null : [fairness, fairness >= LEAST_FAIRNESS]
    }),
  ]
}

const page = path.join(import.meta.dirname, '../../docs/bench-gateway.md')

/** Puts the text between the page's markers of this name. */
export function writeReport(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const whole = readFileSync(page, 'utf8')
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no marks called ${name}`)
  writeFileSync(page, `${whole.slice(0, from + begin.length)}\n${text.trim()}\n\n${whole.slice(to)}`)
}
