/**
 * Screenshots of every screen, for review after a change to the pages: `npm run shots`. They are written to `shots/`,
 * one for each page, language and width. `--only panel` takes those with that word in their name.
 */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { fileNameOf, localPath, privatePaths, publicPaths } from '#contract/pages'
import { freePort, startStack } from '#test/stack'
import { findChromium } from '../../bootstrap/chromium.mjs'
import { tabHref, tabs } from '../../web/account/tabs.ts'
import { buy, expectLive, signedIn } from '../browser/shop.ts'
import { takeDesk } from './desk.ts'

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const folder = path.join(import.meta.dirname, '../../shots')

const languages = ['ru', 'en'] as const
type Language = (typeof languages)[number]
const widths = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } }

interface Screen {
  name: string
  path: string
}

/** Pages that redirect visitors: they are for customers, or require the link of a letter. */
const notForVisitors: readonly string[] = [
  '/account',
  '/purchase',
  '/profile',
  '/promocode',
  '/confirm_email',
]

const visitorPages = (language: Language): Screen[] => [
  ...publicPaths.map((page) => ({ name: fileNameOf(page), path: localPath(page, language) })),
  ...privatePaths
    .filter((page) => !notForVisitors.includes(page))
    .map((page) => ({ name: page.slice(1), path: page })),
  { name: 'docs', path: '/docs' },
  { name: 'no-page', path: '/no-such-page' },
]

const customerPages: readonly Screen[] = [
  ...tabs.map((tab) => ({ name: `account-${tab}`, path: tabHref(tab) })),
  { name: 'purchase', path: '/purchase' },
  { name: 'promocode', path: '/promocode' },
]

/** Takes the screens at both widths. A customer has an account with traffic; a visitor has none. */
async function take(
  browser: Browser,
  { origin, language, isCustomer }: { origin: string; language: Language; isCustomer: boolean },
): Promise<number> {
  const screens = (isCustomer ? customerPages : visitorPages(language)).filter(({ name }) =>
    name.includes(values.only),
  )
  if (screens.length === 0) return 0
  const context = await browser.newContext({
    locale: language === 'ru' ? 'ru-RU' : 'en-US',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  if (isCustomer) {
    const { token } = await signedIn(page, language)
    await buy(page, token, { pool: 'residential', amount: 5 })
  }
  for (const [width, viewport] of Object.entries(widths)) {
    await page.setViewportSize(viewport)
    for (const screen of screens) {
      await page.goto(origin + screen.path, { waitUntil: 'networkidle' })
      await expectLive(page)
      const file = path.join(folder, `${screen.name}.${language}.${width}.png`)
      await page.screenshot({ path: file, fullPage: true, animations: 'disabled' })
    }
  }
  await context.close()
  return screens.length * Object.keys(widths).length
}

const executablePath = findChromium()
mkdirSync(folder, { recursive: true })
// Each sign-up comes from a separate address.
const deskPort = await freePort()
const deskUrl = `http://localhost:${deskPort}`
const stack = await startStack({
  TRUST_PROXY: '127.0.0.1',
  DESK_LISTEN: `127.0.0.1:${deskPort}`,
  DESK_URL: deskUrl,
  DEMO_HISTORY: '1',
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
    for (const language of languages)
      for (const isCustomer of [false, true])
        taken += await take(browser, { origin: stack.origin, language, isCustomer })
    if (values.only === '' || values.only.startsWith('desk'))
      for (const language of languages)
        taken += await takeDesk(browser, { language, widths, folder, only: values.only })
    process.stdout.write(`${taken} pictures in shots/\n`)
    if (taken === 0) process.exitCode = 1
  } finally {
    await browser.close()
  }
} finally {
  await stack.close()
}
