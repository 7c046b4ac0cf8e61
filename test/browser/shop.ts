/** The basis of every browser test: the running shop, and a page that fails the test on any console error. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page, test as base } from '@playwright/test'
import type axe from 'axe-core'
import { isLong } from '../size.ts'
import { startBrowserStack } from './stack.ts'
import { flatten, type TextTree } from '../../web/locales/flatten.ts'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** axe, minified: to read its source takes a browser longer than most checks. */
const axeSource = readFileSync(
  path.join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'),
  'utf8',
)

/** The address from which the gateway connects customers to a shop on the same machine. */
export const gatewaySource = '127.77.0.1'

export const origin = () => process.env['TEST_ORIGIN'] ?? ''

/** The address of the operator's desk of the same shop. */
export const deskOrigin = () => process.env['TEST_DESK_URL'] ?? ''

/** The texts of the interface, from the same files that the pages use. */
export function words(language: 'ru' | 'en', namespace: string): Record<string, string> {
  const file = path.join(import.meta.dirname, `../../web/locales/${language}/${namespace}.json`)
  return Object.fromEntries(flatten(JSON.parse(readFileSync(file, 'utf8')) as TextTree))
}

/** A text of the interface with its placeholders replaced. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')

/** Waits until the scripts of a page react to input. `start.spec.ts` tests the time before that. */
export const expectLive = (page: Page) => expect(page.locator('#app:not([data-live])')).toHaveCount(0)

/** A page opened by its address is hydrated before a test uses it. */
function openLive(page: Page): void {
  const goto = page.goto.bind(page)
  const reload = page.reload.bind(page)
  page.goto = async (...given) => {
    const answer = await goto(...given)
    await expectLive(page)
    return answer
  }
  page.reload = async (...given) => {
    const answer = await reload(...given)
    await expectLive(page)
    return answer
  }
}

export const test = base.extend<{ quiet: void; waitsForLive: boolean }, { stack: void }>({
  stack: [
    // Playwright reads the names of other fixtures from this pattern.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const stop = await startBrowserStack()
      await use()
      await stop()
    },
    { scope: 'worker', auto: true, timeout: 120_000 },
  ],
  waitsForLive: [true, { option: true }],
  quiet: [
    async ({ page, javaScriptEnabled, waitsForLive }, use) => {
      if (waitsForLive && javaScriptEnabled !== false) openLive(page)
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        // Chromium reports every refused request; a test that provokes one checks the page's reaction.
        const isRefusal = message.text().startsWith('Failed to load resource')
        if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
      })
      page.on('request', (request) => {
        const ours = [origin(), deskOrigin(), 'data:']
        if (!ours.some((start) => request.url().startsWith(start))) {
          complaints.push(`a request to a third party: ${request.url()}`)
        }
      })
      await use()
      expect(complaints).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/** Checks that the page has no axe violation of WCAG 2.2 A and AA, nor of axe's best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  // A page that has not rendered yet would be judged by its empty document. Behind a dialog the heading is
  // hidden.
  await expect(page.locator('h1').first()).toBeAttached()
  // Colours in transition have no meaningful contrast.
  const moving = () =>
    document.getAnimations().filter(({ playState, timeline, effect }) => {
      const isTimed = timeline instanceof DocumentTimeline && effect?.getComputedTiming().endTime !== Infinity
      return isTimed && playState === 'running'
    }).length
  await expect.poll(() => page.evaluate(moving)).toBe(0)
  expect(await axeViolations(page)).toEqual([])
}

/**
 * The violations of axe's default rules, each as its rule with the elements. axe is added to a document once:
 * that takes several times the processor time of a check. The pages have no frames, so one document is the
 * whole page.
 */
async function axeViolations(page: Page): Promise<string[]> {
  expect(page.frames()).toHaveLength(1)
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { violations } = await window.axe.run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  })
}

/** Widths of a phone and of a desktop, each with the theme that `npm test` checks there. */
const screens = [
  { viewport: { width: 390, height: 844 }, theme: 'dark' },
  { viewport: { width: 1440, height: 900 }, theme: 'light' },
] as const

/**
 * The same in both themes at both widths, on one visit; also checks that nothing is wider than the screen.
 * `npm test` runs axe at the width of a phone in the dark theme and, with `isPage`, which one visit to each
 * page sets, also at the width of a desktop in the light theme; `npm run test:long` in all four combinations.
 */
export async function expectAccessibleEverywhere(page: Page, { isPage = false } = {}): Promise<void> {
  for (const { viewport, theme } of screens) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: theme })
    const usual = isPage || theme === 'dark' ? [theme] : []
    for (const colorScheme of isLong ? (['light', 'dark'] as const) : usual) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page)
    }
    await expectNoSidewaysScroll(page)
  }
  // The narrowest screen of WCAG 1.4.10, which is also a desktop at 400 %.
  const before = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 568 })
  await expectNoSidewaysScroll(page)
  if (before !== null) await page.setViewportSize(before)
}

/** Checks that nothing is wider than the screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  // The layout follows a change of the window a moment later.
  await expect.poll(() => page.evaluate(() => innerWidth - document.documentElement.scrollWidth)).toBe(0)
}

/**
 * Shows another page of the application as its links do, without loading a document, which takes several times
 * as long; ends when the page with this heading has its data.
 */
export async function showPage(page: Page, address: string, heading: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, address)
  await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible()
  await expect(page.locator('[class*=skeleton]')).toHaveCount(0)
}

let people = 0

/** A whole run signs up more customers than one address may: each comes from a separate address. */
const ownAddress = () => `198.18.${people >> 8}.${people & 255}`

/** A new customer through the API, signed in inside the page as the application stores it. */
export async function signedIn(
  page: Page,
  language: 'ru' | 'en' = 'ru',
  username = `browser${Date.now()}${++people}`,
): Promise<{ username: string; token: string }> {
  const password = 'a long password'
  const headers = {
    'accept-language': language,
    'content-type': 'application/json',
    'x-forwarded-for': ownAddress(),
  }
  const post = (call: string, data: object, more: Record<string, string> = {}) =>
    page.request.post(`${origin()}/api/rpc/${call}`, { headers: { ...headers, ...more }, data })
  expect((await post('signup', { username, email: `${username}@example.com`, password })).ok()).toBe(true)
  const token = await (await post('signin', { username, password })).text()
  const profile = (await (
    await page.request.get(`${origin()}/api/legacy_profile`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).json()) as object[]
  // Any document of the site has its storage; this one has no scripts to load.
  await page.goto(`${origin()}/robots.txt`)
  await page.evaluate((user) => localStorage.setItem('user', user), JSON.stringify({ ...profile[0], token }))
  return { username, token }
}

/** Registers on the open page of registration, and arrives signed in at the requested page. */
export async function register(
  page: Page,
  username: string,
  { language = 'ru', target = '/account' }: { language?: 'ru' | 'en'; target?: string } = {},
): Promise<void> {
  const auth = words(language, 'auth')
  const named = (name: string | undefined) => page.getByLabel(name ?? '', { exact: true })
  await named(auth['register.username']).fill(username)
  await named(auth['register.email']).fill(`${username}@example.com`)
  await named(auth['register.password']).fill('a long password')
  await named(auth['register.repeat']).fill('a long password')
  await agree(page, language)
  await page.getByRole('button', { name: auth['register.submit'] ?? '' }).click()
  await expect(page).toHaveURL(origin() + target)
}

/** Ticks both boxes of the page of registration. */
export async function agree(page: Page, language: 'ru' | 'en' = 'ru'): Promise<void> {
  const legal = words(language, 'legal')
  for (const box of ['agree.terms', 'agree.personal_data'])
    await page.getByRole('checkbox', { name: legal[box] ?? '' }).check()
}

/** Buys through the API, as the account's owner. */
export async function buy(page: Page, token: string, order: { pool: string; amount: number }): Promise<void> {
  const answer = await page.request.post(`${origin()}/api/rpc/create_invoice_web`, {
    headers: { authorization: `Bearer ${token}` },
    data: { payment_method: 'sandbox', ...order },
  })
  const number = (await answer.text()).split('/').at(-1)
  const paid = await page.request.post(`${origin()}/sandbox/pay/${number}`, {
    form: { result: 'paid' },
    maxRedirects: 0,
  })
  expect(paid.status()).toBe(303)
}
