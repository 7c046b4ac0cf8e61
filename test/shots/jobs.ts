/**
 * Does the fifteen jobs of an owner at the desk against a demo shop, counts what a person presses and fills in,
 * and takes a picture where each job is decided and where it is done.
 * `node test/shots/jobs.ts --language ru --width phone --folder /tmp/jobs`; without them: both languages, both
 * widths, a folder in the system's temporary one. `--only 6-,12-` does the jobs with one of these in their name.
 */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { findChromium } from '#test/run/programs'
import { type Job, jobs } from '../browser/desk.jobs/jobs.ts'
import { type Prepared, prepare } from '../browser/desk.jobs/prepare.ts'
import { locales, type Walk, walkOn, walks, widths } from '../browser/desk.jobs/walk.ts'
import { deskOrigin } from '../browser/shop.ts'
import { startDemoShop } from './demo.shop.ts'
import { Meter } from './desk/meter.ts'
import { quiet } from './shot.ts'

const { values } = parseArgs({
  options: {
    language: { type: 'string', default: '' },
    width: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    folder: { type: 'string', default: path.join(tmpdir(), 'turnpike-jobs') },
  },
})
const only = values.only.split(',')
const wanted = walks.filter(
  ([language, width]) => language.includes(values.language) && width.includes(values.width),
)
const faults: string[] = []

async function measure(walk: Walk, on: Prepared, job: Job, meter: Meter): Promise<void> {
  const run = `${walk.language}.${walk.width}`
  const shoot = (what: string) =>
    meter.pause(async () => {
      await quiet(walk.page)
      const file = `${job.name}.${what}.${run}.png`
      await walk.page.screenshot({
        path: path.join(values.folder, file),
        animations: 'disabled',
        fullPage: (await walk.dialog.count()) === 0,
      })
    })
  try {
    await walk.page.goto(deskOrigin())
    await quiet(walk.page)
    const { clicks, fields, seconds } = await meter.measure(() =>
      job.do({ ...walk, look: (what) => shoot(what) }, on),
    )
    await shoot('z-end')
    process.stdout.write(`| ${run} | ${job.name} | ${clicks} | ${fields} | ${seconds.toFixed(1)} |\n`)
    await job.after?.(walk, on)
  } catch (error) {
    await shoot('fault')
    faults.push(`${job.name} ${run}: ${String(error).slice(0, 1500)}`)
  }
}

async function runIn(browser: Browser, [language, width]: (typeof walks)[number]): Promise<void> {
  const context = await browser.newContext({
    locale: locales[language],
    viewport: widths[width],
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.addInitScript((code) => localStorage.setItem('lang', code), language)
  const meter = await Meter.of(context)
  const walk = walkOn(page, { language, width, look: async () => {} })
  const on = await prepare(walk, shop.target)
  for (const job of jobs)
    if (only.some((word) => job.name.startsWith(word))) await measure(walk, on, job, meter)
  await context.close()
}

mkdirSync(values.folder, { recursive: true })
process.stdout.write('| run | job | clicks | fields | seconds |\n|---|---|---|---|---|\n')
const shop = await startDemoShop()
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath === null ? {} : { executablePath }),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  for (const one of wanted) await runIn(browser, one)
} finally {
  await browser.close()
  await shop.close()
}
process.stdout.write(`Pictures: ${values.folder}\n`)
for (const sentence of faults) process.stdout.write(`${sentence}\n`)
if (faults.length > 0) process.exitCode = 1
