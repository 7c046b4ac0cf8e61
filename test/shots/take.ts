/**
 * Screenshots of every screen in every state, for review after a change to the pages: `npm run shots`. They
 * are written to `shots/`, one for each state, language and width, those of the account in both themes; what
 * axe finds in one is named at the end. `--only panel,purchase` takes those with one of these words in their
 * name, `--language ru` those in one language. `--readme` renews the pictures of the README instead.
 */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import type { Origin } from '#test/origin'
import { findChromium } from '#test/run/programs'
import { Camera } from './camera.ts'
import { startDemoShop } from './demo.shop.ts'
import { takeDesk } from './desk/desk.ts'
import { invoiceShots } from './invoices.ts'
import { allShots } from './list.ts'
import { arrive } from './people.ts'
import { readmePictures } from './readme.ts'
import { type Language, localeOf, type Shot, stageOf, type Who } from './shot.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    language: { type: 'string', default: '' },
    readme: { type: 'boolean', default: false },
  },
})
const folder = path.join(import.meta.dirname, '../..', values.readme ? 'docs/pictures' : 'shots')
const languages = (['ru', 'en'] as const).filter((each) =>
  each.includes(values.readme ? 'en' : values.language),
)
const only = values.only.split(',')
/** Visitors, and the customers. */
const all: readonly (Who | undefined)[] = [
  undefined,
  'new',
  'used-up',
  'busy',
  'demo',
  'buyer',
  'partner',
  'guarded',
  'capped',
  'top-up',
]
const camera = new Camera({ folder, only, single: values.readme ? readmePictures : null })

async function takeOne(page: Page, shot: Shot, language: Language, origin: string): Promise<void> {
  if (!camera.isWanted(shot)) return
  const stage = stageOf(page, origin, language)
  const mend = await shot.breaks?.(stage)
  const themes = shot.who === undefined ? (['light'] as const) : (['light', 'dark'] as const)
  await camera.take(page, { ...shot, themes }, language, async () => {
    // A skeleton is taken at once: no data will arrive.
    if (shot.name.startsWith('account-') && shot.name.endsWith('-skeleton')) {
      await page.goto(origin + shot.path, { waitUntil: 'commit' })
      await page.locator('main').waitFor()
      await page.waitForTimeout(700)
    } else await stage.open(shot.path)
    await shot.act?.(stage)
  })
  await mend?.()
}

/** Takes the pictures of one customer, or of a visitor. */
async function takeFor(
  browser: Browser,
  who: Who | undefined,
  { language, origin, target }: { language: Language; origin: string; target: Origin },
): Promise<void> {
  const shots = allShots(language).filter((one) => one.who === who)
  const isInvoiceWanted = who === 'buyer' && only.some((word) => 'account-invoice'.includes(word))
  if (!shots.some((shot) => camera.isWanted(shot)) && !isInvoiceWanted) return
  const context = await browser.newContext({ locale: localeOf(language), reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.addInitScript((code) => localStorage.setItem('lang', code), language)
  if (who !== undefined) {
    const customer = await arrive(page, { who, language, target })
    if (who === 'buyer') shots.unshift(...(await invoiceShots(page, customer)))
  }
  for (const shot of shots) await takeOne(page, shot, language, origin)
  await context.close()
}

/** Takes all pictures in one language. */
async function takeIn(language: Language): Promise<void> {
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    // The desk waits for the demo's month, which the account of the demo shows too.
    if (only.some((word) => word === '' || word.startsWith('desk')))
      await takeDesk(browser, camera, { language, target })
    for (const who of all) await takeFor(browser, who, { language, origin, target })
  } finally {
    await browser.close()
  }
}

mkdirSync(folder, { recursive: true })
const { origin, target, close } = await startDemoShop()
try {
  for (const language of languages) await takeIn(language)
  process.stdout.write(`${camera.taken} pictures in shots/\n`)
  for (const sentence of camera.faults) process.stdout.write(`${sentence}\n`)
  if (camera.taken === 0 || camera.faults.length > 0) process.exitCode = 1
} finally {
  await close()
}
