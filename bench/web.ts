/**
 * Lighthouse results of the public pages on a phone: `npm run bench:web`. docs/bench-web.md has the method
 * and the results. `--runs` and `--page` shorten it; `--audits` lists the audits that cost a point; `--write`
 * puts the table into that page.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import lighthouse, { type Result } from 'lighthouse'
import { freePort } from '#test/ports'
import { startStack } from '#test/stack'
import { findChromium } from '#test/run/programs'
import { Report } from './report.ts'
import { measureSlowLine, slowHeading } from './web.slow.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    page: { type: 'string', multiple: true },
    audits: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    slow: { type: 'boolean', default: false },
  },
})
const document = path.join(import.meta.dirname, '../docs/bench-web.md')
const pages = values.page ?? ['/', '/proxy', '/shares', '/reviews', '/rules', '/en']
const wanted = { performance: 0.97, accessibility: 1, 'best-practices': 1, seo: 1 } as const
const categories = Object.keys(wanted) as (keyof typeof wanted)[]
const times = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'speed-index',
  'total-blocking-time',
] as const
const shift = 'cumulative-layout-shift'
const heading = [
  '| page | performance | accessibility | best practices | SEO | FCP | LCP | SI | TBT | CLS |',
  '|---|---|---|---|---|---|---|---|---|---|',
]
/** The maximum number of retries of a run that failed in Lighthouse itself. */
const retries = 3

if (values.slow) {
  await benchSlowLine()
  process.exit()
}
const port = await freePort()
const executablePath = findChromium()
const stack = await startStack()
const browser = await chromium.launch({
  ...(executablePath === null ? {} : { executablePath }),
  args: [
    `--remote-debugging-port=${port}`,
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
  ],
})
const report = new Report()
try {
  report.machine()
  report.say(
    `Chromium ${browser.version()}, ${values.runs} runs of each page. FCP, LCP, SI and TBT in milliseconds.`,
  )
  const rows: string[] = []
  const short: string[] = []
  for (const page of pages) {
    const results: Result[] = []
    for (let run = 0; run < Number(values.runs); run++) results.push(await runPatiently(page))
    rows.push(rowOf(page, results))
    short.push(...shortOf(page, results))
    process.stderr.write(`${rows.at(-1)}\n`)
    if (values.audits) printAudits(results)
  }
  report.table([...heading, ...rows].join('\n'))
  if (short.length > 0) report.say(short.join('\n'))
  if (values.write) report.write(document)
  process.exitCode = short.length > 0 ? 1 : 0
} finally {
  await browser.close()
  await stack.close()
}

async function benchSlowLine(): Promise<void> {
  const stack = await startStack()
  const report = new Report('## Measured on a slow line')
  try {
    report.machine()
    const rows = await measureSlowLine(stack, Number(values.runs), values.page)
    report.table([...slowHeading, ...rows].join('\n'))
    if (values.write) report.write(document)
  } finally {
    await stack.close()
  }
}

function rowOf(page: string, results: Result[]): string {
  const hundred = (numbers: number[]) => span(numbers.map((each) => Math.round(each * 100)))
  const cells = [
    ...categories.map((category) => hundred(scores(results, category))),
    ...times.map((audit) => span(valuesOf(results, audit).map(Math.round))),
    Math.max(...valuesOf(results, shift)).toFixed(3),
  ]
  return `| ${page} | ${cells.join(' | ')} |`
}

/** The scores below the goal. */
function shortOf(page: string, results: Result[]): string[] {
  return [
    ...categories
      .filter((category) => median(scores(results, category)) < wanted[category])
      .map((category) => `${page}: ${category} is below ${wanted[category] * 100}.`),
    ...(Math.max(...valuesOf(results, shift)) > 0 ? [`${page}: something moves.`] : []),
  ]
}

function scores(results: Result[], category: (typeof categories)[number]): number[] {
  return results.map((each) => each.categories[category]?.score ?? 0)
}

function valuesOf(results: Result[], audit: string): number[] {
  return results.map((each) => each.audits[audit]?.numericValue ?? Number.NaN)
}

/** Chromium sometimes loses the beginning of its own trace (NO_NAVSTART); the page does not cause this. */
async function runPatiently(page: string): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const result = await runOnce(page)
    const fault = result.runtimeError
    if (fault === undefined) return result
    if (fault.code !== 'NO_NAVSTART' || attempt > retries)
      throw new Error(`Lighthouse could not measure ${page}: ${fault.message}`)
    process.stderr.write(`Lighthouse lost a run of ${page} (${fault.code}); repeated.\n`)
  }
}

async function runOnce(page: string): Promise<Result> {
  const answer = await lighthouse(stack.origin + page, {
    port,
    logLevel: 'error',
    output: 'json',
    onlyCategories: categories,
  })
  if (answer === undefined) throw new Error(`Lighthouse did not measure ${page}`)
  return answer.lhr
}

function printAudits(results: Result[]): void {
  const last = results.at(-1)
  for (const { id, title, score, displayValue } of Object.values(last?.audits ?? {}))
    if (score !== null && score < 1)
      process.stderr.write(`    ${score.toFixed(2)} ${id}: ${title} ${displayValue ?? ''}\n`)
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

/** The median, and where the runs differ, the lowest and the highest. */
function span(numbers: number[]): string {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  return low === high ? String(low) : `${median(numbers)} (${low}–${high})`
}
