/**
 * What Lighthouse says of the public pages on a telephone: `npm run bench:web`. docs/bench-web.md has the method and
 * what it measured. `--runs` and `--page` make it shorter; `--audits` names what cost a point.
 */
import { createServer } from 'node:net'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import lighthouse, { type Result } from 'lighthouse'
import { startStack } from '#test/stack'
import { findChromium } from '../bootstrap/chromium.mjs'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    page: { type: 'string', multiple: true },
    audits: { type: 'boolean', default: false },
  },
})
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
try {
  console.log(`${cpus().length} × ${cpus()[0]?.model}, Chromium ${browser.version()}, ${values.runs} runs\n`)
  console.log(
    '| page | performance | accessibility | best practices | SEO | FCP ms | LCP ms | SI ms | TBT ms | CLS |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|')
  const short: string[] = []
  for (const page of pages) short.push(...(await measure(page)))
  for (const sentence of short) console.log(`\n${sentence}`)
  process.exitCode = short.length > 0 ? 1 : 0
} finally {
  await browser.close()
  await stack.close()
}

/** Prints the page's row; answers what is short of what is wanted. */
async function measure(page: string): Promise<string[]> {
  const results: Result[] = []
  for (let run = 0; run < Number(values.runs); run++) results.push(await runOnce(page))
  const score = (category: (typeof categories)[number]) =>
    results.map((each) => each.categories[category]?.score ?? 0)
  const value = (audit: string) => results.map((each) => each.audits[audit]?.numericValue ?? Number.NaN)
  const hundred = (numbers: number[]) => span(numbers.map((each) => Math.round(each * 100)))
  const cells = [
    ...categories.map((category) => hundred(score(category))),
    ...times.map((audit) => span(value(audit).map(Math.round))),
    Math.max(...value(shift)).toFixed(3),
  ]
  console.log(`| ${page} | ${cells.join(' | ')} |`)
  if (values.audits) printAudits(results)
  return [
    ...categories
      .filter((category) => median(score(category)) < wanted[category])
      .map((category) => `${page}: ${category} is below ${wanted[category] * 100}.`),
    ...(Math.max(...value(shift)) > 0 ? [`${page}: something moves.`] : []),
  ]
}

async function runOnce(page: string): Promise<Result> {
  const answer = await lighthouse(stack.origin + page, {
    port,
    logLevel: 'error',
    output: 'json',
    onlyCategories: categories,
  })
  if (answer === undefined || answer.lhr.runtimeError !== undefined)
    throw new Error(
      `Lighthouse could not look at ${page}: ${answer?.lhr.runtimeError?.message ?? 'no answer'}`,
    )
  return answer.lhr
}

function printAudits(results: Result[]): void {
  const last = results.at(-1)
  for (const { id, title, score, displayValue } of Object.values(last?.audits ?? {}))
    if (score !== null && score < 1)
      console.log(`    ${score.toFixed(2)} ${id}: ${title} ${displayValue ?? ''}`)
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

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const asked = createServer().listen(0, '127.0.0.1', () => {
      const address = asked.address()
      asked.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
