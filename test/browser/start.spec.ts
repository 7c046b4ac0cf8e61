/** When the scripts of a written page start: after its first paint, or sooner for who has a reason. */
import type { Page } from '@playwright/test'
import { expect, expectLive, origin, test, words } from './shop.ts'

test.use({ waitsForLive: false })

const header = words('ru', 'header')
const home = words('ru', 'home')
const waiting = (page: Page) => page.locator('template#scripts')

/** What the browser noted of its paints or of what it fetched, in milliseconds since the page was asked for. */
function noted(type: string): Promise<{ name: string; startTime: number }[]> {
  return new Promise((resolve) => {
    const tell = (list: PerformanceObserverEntryList) =>
      resolve(list.getEntries().map(({ name, startTime }) => ({ name, startTime })))
    new PerformanceObserver(tell).observe({ type, buffered: true })
  })
}

/** Time stands still, so that nothing starts because it was waited long enough. */
async function withoutTime(page: Page): Promise<void> {
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1000)
}

/** Nor does the browser tell of its paints: only other reasons are left to start. */
async function withoutPaints(page: Page): Promise<void> {
  await withoutTime(page)
  await page.addInitScript(() => {
    PerformanceObserver.prototype.observe = () => undefined
  })
}

for (const path of ['/', '/en/proxy', '/rules']) {
  test(`${path} fetches its scripts after its first paint, and answers then`, async ({ page }) => {
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

test('a page that is not written has nothing to wait for', async ({ page }) => {
  await withoutPaints(page)
  await page.goto(`${origin()}/login`)
  await expectLive(page)
})

test('a page whose paint nobody tells of starts all the same, a little later', async ({ page }) => {
  await withoutPaints(page)
  await page.goto(origin())
  await expect(waiting(page)).toHaveCount(1)
  await page.clock.runFor(1400)
  await expect(waiting(page)).toHaveCount(1)
  await page.clock.runFor(200)
  await expectLive(page)
})

test('a page that is opened in the background starts at once', async ({ page }) => {
  await withoutPaints(page)
  await page.addInitScript(() => {
    Object.defineProperty(Document.prototype, 'visibilityState', { get: () => 'hidden' })
  })
  await page.goto(origin())
  await expectLive(page)
})

test('who has chosen a language is led to the page’s twin at once', async ({ page }) => {
  await page.goto(`${origin()}/login`)
  await page.evaluate(() => localStorage.setItem('lang', 'en'))
  await withoutPaints(page)
  await page.goto(`${origin()}/rules`)
  await expect(page).toHaveURL(`${origin()}/en/rules`)
})

test('a button that is pressed before the page answers does its work once it does', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await withoutPaints(page)
  await page.goto(`${origin()}/rules`)
  await expect(waiting(page)).toHaveCount(1)
  await page.getByRole('button', { name: header['openMenu'] ?? '' }).click()
  await expect(page.getByRole('button', { name: header['closeMenu'] ?? '' })).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: header['proxy'] ?? '' })).toBeVisible()
})

test('so does a choice, and a link leads on without waiting', async ({ page }) => {
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
