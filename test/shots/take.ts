/**
 * Screenshots of every screen in every state, for review after a change to the pages: `npm run shots`. They are written to
 * `shots/`, one for each state, language and width, those of the account in both themes. `--only panel` takes those with that
 * word in their name.
 */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import { type Origin, startOrigin } from '#test/origin'
import { freePort, startStack } from '#test/stack'
import { findChromium } from '../../bootstrap/chromium.mjs'
import { takeDesk } from './desk.ts'
import { invoiceShots } from './invoices.ts'
import { allShots } from './list.ts'
import { arrive } from './people.ts'
import { type Language, type Shot, stageOf, type Who, widths } from './shot.ts'

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const folder = path.join(import.meta.dirname, '../../shots')
const languages = ['ru', 'en'] as const
const isWanted = ({ name }: Shot) => name.includes(values.only)

/**
 * A picture of the whole page: the window is made as tall as the page, so that bars at its foot are there and not in the middle.
 * With a dialog the window alone.
 */
async function picture(page: Page, file: string, viewport: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(viewport)
  const fits = () => document.documentElement.scrollWidth <= innerWidth
  // The layout follows a change of the window a moment later.
  await page.waitForFunction(fits, undefined, { timeout: 2000 }).catch(() => undefined)
  if ((await page.getByRole('dialog').count()) === 0) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.setViewportSize({ ...viewport, height: Math.min(Math.max(height, viewport.height), 8000) })
  }
  await page.screenshot({ path: path.join(folder, file), animations: 'disabled' })
}

/** The files of one state: at each width, of a customer's pages in each theme. */
async function capture(page: Page, { name, who, width: only }: Shot, language: Language): Promise<number> {
  let taken = 0
  for (const [width, viewport] of Object.entries(widths)) {
    if (only !== undefined && only !== width) continue
    for (const theme of who === undefined ? (['light'] as const) : (['light', 'dark'] as const)) {
      await page.emulateMedia({ colorScheme: theme })
      const file = `${name}.${language}.${width}${theme === 'dark' ? '.dark' : ''}.png`
      await picture(page, file, viewport)
      taken++
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return taken
}

/** States that could not be reached; the others are taken all the same. */
const failed: string[] = []

async function takeOne(page: Page, shot: Shot, { language, origin }: { language: Language; origin: string }) {
  const stage = stageOf(page, origin, language)
  await page.setViewportSize(widths[shot.width ?? 'desktop'])
  const mend = await shot.breaks?.(stage)
  try {
    // Nothing arrives: there is nothing to wait for.
    if (shot.name.startsWith('account-') && shot.name.endsWith('-skeleton')) {
      await page.goto(origin + shot.path, { waitUntil: 'commit' })
      await page.locator('main').waitFor()
      await page.waitForTimeout(700)
    } else await stage.open(shot.path)
    await shot.act?.(stage)
    return await capture(page, shot, language)
  } catch (error) {
    failed.push(`${shot.name}.${language}: ${String(error).split('\n')[0]}`)
    return 0
  } finally {
    await mend?.()
  }
}

/** Takes the states that one customer, or a visitor, can be in. */
async function takeFor(
  browser: Browser,
  who: Who | undefined,
  { language, origin, target }: { language: Language; origin: string; target: Origin },
): Promise<number> {
  const shots = allShots(language).filter((one) => one.who === who)
  if (!shots.some(isWanted) && !(who === 'buyer' && 'account-invoice'.includes(values.only))) return 0
  const context = await browser.newContext({
    locale: language === 'ru' ? 'ru-RU' : 'en-US',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  if (who !== undefined) {
    const customer = await arrive(page, { who, language, target })
    if (who === 'buyer') shots.unshift(...(await invoiceShots(page, customer)))
  }
  let taken = 0
  for (const shot of shots.filter(isWanted)) taken += await takeOne(page, shot, { language, origin })
  await context.close()
  return taken
}

const executablePath = findChromium()
mkdirSync(folder, { recursive: true })
// Each sign-up comes from a separate address.
const deskPort = await freePort()
const deskUrl = `http://localhost:${deskPort}`
const target = await startOrigin()
const stack = await startStack({
  TRUST_PROXY: '127.0.0.1',
  DESK_LISTEN: `127.0.0.1:${deskPort}`,
  DESK_URL: deskUrl,
  DEMO_HISTORY: '1',
  // All are this machine; the generator offers regions that have a host.
  GATEWAY_HOSTS: 'eur=127.0.0.1,usa=127.0.0.1,jpn=127.0.0.1',
})
try {
  process.env['TEST_ORIGIN'] = stack.origin
  process.env['TEST_DESK_URL'] = deskUrl
  process.env['TEST_DATA_DIR'] = stack.dataDir
  const browser = await chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    let taken = 0
    // The desk waits for the demo's month, which the account of the demo shows too.
    if (values.only === '' || values.only.startsWith('desk'))
      for (const language of languages)
        taken += await takeDesk(browser, { language, folder, only: values.only })
    for (const language of languages)
      for (const who of [undefined, 'new', 'used-up', 'demo', 'buyer'] as const)
        taken += await takeFor(browser, who, { language, origin: stack.origin, target })
    process.stdout.write(`${taken} pictures in shots/\n`)
    for (const sentence of failed) process.stdout.write(`not taken: ${sentence}\n`)
    if (taken === 0 || failed.length > 0) process.exitCode = 1
  } finally {
    await browser.close()
  }
} finally {
  await stack.close()
  await target.close()
}
