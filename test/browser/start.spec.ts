/**
 * The time at which the scripts of a prerendered page start: after its first paint, or earlier when needed.
 */
import type { Page } from '@playwright/test'
import { expect, expectLive, origin, signedIn, test, words } from './shop.ts'

test.use({ waitsForLive: false })

const header = words('ru', 'header')
const home = words('ru', 'home')
const waiting = (page: Page) => page.locator('template#scripts')

/** The browser's records of its paints or its requests, in milliseconds since the page was requested. */
function noted(type: string): Promise<{ name: string; startTime: number }[]> {
  return new Promise((resolve) => {
    const tell = (list: PerformanceObserverEntryList) =>
      resolve(list.getEntries().map(({ name, startTime }) => ({ name, startTime })))
    new PerformanceObserver(tell).observe({ type, buffered: true })
  })
}

/** Stops the clock, so that nothing starts because of elapsed time. */
async function withoutTime(page: Page): Promise<void> {
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1000)
}

/** Suppresses paint records, so that only other reasons to start remain. */
async function withoutPaints(page: Page): Promise<void> {
  await withoutTime(page)
  await page.addInitScript(() => {
    PerformanceObserver.prototype.observe = () => undefined
  })
}

for (const path of ['/', '/en/proxy', '/rules']) {
  test(`${path} fetches its scripts after its first paint, and reacts then`, async ({ page }) => {
    await withoutTime(page)
    await page.goto(origin() + path)
    await expectLive(page)
    await expect(waiting(page)).toHaveCount(0)
    const paints = await page.evaluate(noted, 'paint')
    const scripts = (await page.evaluate(noted, 'resource')).filter(
      ({ name }) => name.endsWith('.js') && !name.includes('/start-'),
    )
    const paint = paints.find(({ name }) => name === 'first-contentful-paint')?.startTime ?? Number.NaN
    expect(scripts.length).toBeGreaterThan(3)
    expect(Math.min(...scripts.map(({ startTime }) => startTime))).toBeGreaterThanOrEqual(paint)
  })
}

test('/login and the account are readable before their scripts have loaded', async ({ page }) => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await arrived
    await route.continue()
  })
  await page.goto(`${origin()}/account?tab=invoices`, { waitUntil: 'commit' })
  await expect(page.getByRole('navigation', { name: words('ru', 'userBtns')['tabs'] ?? '' })).toBeVisible()
  await page.goto(`${origin()}/login`, { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(words('ru', 'auth')['login.heading'] ?? '')
  await page.getByRole('textbox').first().fill('nightshift')
  arrive()
  await expectLive(page)
  // The browser takes over the form with what was typed.
  await expect(page.getByRole('textbox').first()).toHaveValue('nightshift')
})

test('a page that is not prerendered starts immediately', async ({ page }) => {
  await withoutPaints(page)
  await page.goto(`${origin()}/forgot_password`)
  await expectLive(page)
})

test('a page without paint records starts a little later', async ({ page }) => {
  await withoutPaints(page)
  await page.goto(origin())
  await expect(waiting(page)).toHaveCount(1)
  await page.clock.runFor(1400)
  await expect(waiting(page)).toHaveCount(1)
  await page.clock.runFor(200)
  await expectLive(page)
})

test('a page opened in the background starts immediately', async ({ page }) => {
  await withoutPaints(page)
  await page.addInitScript(() => {
    Object.defineProperty(Document.prototype, 'visibilityState', { get: () => 'hidden' })
  })
  await page.goto(origin())
  await expectLive(page)
})

test('a visitor who has chosen a language is redirected to the alternate page immediately', async ({
  page,
}) => {
  await page.goto(`${origin()}/login`)
  await page.evaluate(() => localStorage.setItem('lang', 'en'))
  await withoutPaints(page)
  await page.goto(`${origin()}/rules`)
  await expect(page).toHaveURL(`${origin()}/en/rules`)
})

test('a button pressed before hydration acts after it', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await withoutPaints(page)
  await page.goto(`${origin()}/rules`)
  await expect(waiting(page)).toHaveCount(1)
  await page.getByRole('button', { name: header['openMenu'] ?? '' }).click()
  await expect(page.getByRole('button', { name: header['closeMenu'] ?? '' })).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: header['proxy'] ?? '' })).toBeVisible()
})

test('a button on the account’s frame, which the page replaces, acts after hydration', async ({ page }) => {
  await signedIn(page)
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    if (!route.request().url().includes('/start-')) await arrived
    await route.continue()
  })
  await page.goto(`${origin()}/account`, { waitUntil: 'commit' })
  await page.getByRole('button', { name: header['signOut'] ?? '', exact: true }).click()
  arrive()
  await expect(page.getByRole('banner').getByRole('link', { name: header['signIn'] ?? '' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull()
})

test('a choice made before hydration acts after it, and a link works without waiting', async ({ page }) => {
  await withoutPaints(page)
  await page.goto(origin())
  const offer = page.getByRole('region', { name: home['pricing.heading'] ?? '' })
  await expect(waiting(page)).toHaveCount(1)
  await offer.getByText(header['pools.mobile'] ?? '', { exact: true }).click()
  await expect(offer.locator('a[href="/purchase?amount=100&pool=mobile"]')).toBeVisible()
  await expect(offer.getByRole('radio', { name: header['pools.mobile'] ?? '' })).toBeChecked()

  await page.goto(origin())
  await expect(waiting(page)).toHaveCount(1)
  await page
    .getByRole('banner')
    .getByRole('link', { name: header['rules'] ?? '' })
    .click()
  await expect(page).toHaveURL(`${origin()}/rules`)
})
