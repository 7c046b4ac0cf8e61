/** The pages that the server renders before it knows the visitor: nothing moves, and no error is logged. */
import type { Page } from '@playwright/test'
import { expect, expectLive, origin, signedIn, test, words } from './shop.ts'

const languages = ['ru', 'en'] as const
type Language = (typeof languages)[number]

/** Adds up layout shifts from the first paint on. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const watched = Object.assign(window, { shifted: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        watched.shifted += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () => page.evaluate(() => (window as unknown as { shifted: number }).shifted)
}

const speak = (page: Page, language: Language) =>
  page.context().addCookies([{ name: 'lang', value: language, url: origin() }])

for (const language of languages) {
  test(`a visitor gets the form of signing in in their language, hydrated as it was rendered (${language})`, async ({
    page,
  }) => {
    await speak(page, language)
    await page.addInitScript((lang) => localStorage.setItem('lang', lang), language)
    const shifts = await watchShifts(page)
    // Any mismatch is an error in the console, which fails the test.
    await page.goto(`${origin()}/login`)
    await expectLive(page)
    await page.waitForLoadState('networkidle')
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      words(language, 'auth')['login.heading'] ?? '',
    )
    await expect(page.locator('title')).toHaveCount(1)
    expect(await shifts()).toBeLessThanOrEqual(0.02)
  })

  test(`the overview of a customer appears without moving (${language})`, async ({ page }) => {
    await signedIn(page, language)
    const shifts = await watchShifts(page)
    await page.goto(`${origin()}/account`)
    await expect(
      page.getByRole('region', { name: words(language, 'requests')['overview.next'] ?? '' }),
    ).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expect(page.locator('title')).toHaveCount(1)
    expect(await shifts()).toBeLessThanOrEqual(0.02)
  })
}

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false, waitsForLive: false })
  for (const language of languages) {
    test(`the form of signing in is readable and says what it needs (${language})`, async ({ page }) => {
      await speak(page, language)
      await page.goto(`${origin()}/login`)
      const texts = words(language, 'auth')
      await expect(page.getByLabel(texts['login.name'] ?? '')).toBeVisible()
      // Playwright turns scripts off after parsing, so the page shows no <noscript>.
      const html = await (await page.request.get(`${origin()}/login`)).text()
      expect(html).toMatch(new RegExp(`<noscript><p[^>]*>${texts['login.withoutScripts']}</p>`))
      await expect(page.locator('form')).toHaveAttribute('method', 'post')
    })
  }
})
