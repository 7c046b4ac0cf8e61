/**
 * Fixed bars leave room for the page on low screens: landscape phones, small phones, a window zoomed to
 * 200 %.
 */
import type { Page } from '@playwright/test'
import { isLong } from '../size.ts'
import {
  buy,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'

const screens = [
  { width: 844, height: 390 },
  { width: 640, height: 360 },
  { width: 720, height: 540 },
  { width: 740, height: 600 },
  { width: 320, height: 568 },
  { width: 390, height: 664 },
  { width: 390, height: 844 },
] as const

const summary = (page: Page) =>
  page.getByRole('region', { name: words('ru', 'userPanel')['summary.title'] ?? '' })

/** The share of the screen’s height that wide fixed bars cover. */
const coveredShare = (page: Page) =>
  page.evaluate(() => {
    const rows = new Set<number>()
    for (const element of document.querySelectorAll('body *')) {
      const { position, visibility, opacity } = getComputedStyle(element)
      if (position !== 'fixed' && position !== 'sticky') continue
      if (visibility === 'hidden' || opacity === '0' || !element.checkVisibility()) continue
      const { width, top, bottom } = element.getBoundingClientRect()
      if (width < innerWidth / 2) continue
      for (let row = Math.max(0, Math.round(top)); row < Math.min(innerHeight, bottom); row += 1)
        rows.add(row)
    }
    return rows.size / innerHeight
  })

test('the fixed bars of the generator take at most 35 % of each low screen', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  for (const [at, { width, height }] of screens.entries()) {
    await page.setViewportSize({ width, height })
    // The page is opened on the first screen; later screens resize it, as when a device is turned.
    if (at === 0) await page.goto(`${origin()}/account?tab=panel`)
    const generate = summary(page).getByRole('button').last()
    await expect(generate).toBeVisible()
    await expect(summary(page).locator('code')).not.toBeEmpty()
    // Scrolled to the middle of the settings, every bar is at its fixed place.
    for (const share of [0.3, 0.5]) {
      await page.evaluate((part) => scrollTo(0, document.documentElement.scrollHeight * part), share)
      expect(await coveredShare(page)).toBeLessThanOrEqual(0.35)
      await expect(generate).toBeInViewport({ ratio: 1 })
    }
    await expectNoSidewaysScroll(page)
    if (at === 0 || isLong) await expectAccessible(page)
  }
})
