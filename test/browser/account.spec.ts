/** The account as a whole: every tab accessible in both themes at both widths; the places and their tabs. */
import path from 'node:path'
import type { Page } from '@playwright/test'
import {
  buy,
  expect,
  expectAccessibleEverywhere,
  expectNoSidewaysScroll,
  origin,
  showPage,
  signedIn,
  test,
  words,
} from './shop.ts'
import { places, tabs } from '#contract/account-tabs'
import { sanitizerOptions } from '../../web/ui/site/sanitizer-options.ts'

for (const isFull of [false, true]) {
  test(`every tab ${isFull ? 'of a customer' : 'of a newcomer, in English'} is accessible in both themes at both widths`, async ({
    page,
  }) => {
    test.setTimeout(300_000)
    const language = isFull ? 'ru' : 'en'
    const texts = words(language, 'userBtns')
    const { token } = await signedIn(page, language)
    if (isFull) await buy(page, token, { pool: 'residential', amount: 1 })
    await page.goto(`${origin()}/purchase?method=referral`)
    await page.waitForLoadState('networkidle')
    await expectAccessibleEverywhere(page, { isPage: isFull })
    for (const tab of tabs) {
      await showPage(page, `/account?tab=${tab}`, texts[`title.${tab}`] ?? tab)
      await expectAccessibleEverywhere(page, { isPage: isFull })
    }
  })
}

/** The addresses of the links of a navigation. */
const targets = (page: Page, name: string) =>
  page
    .getByRole('navigation', { name, exact: true })
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))

test('five places lead to all tabs, and promo codes are on the overview', async ({ page }) => {
  const ru = words('ru', 'userBtns')
  const { token } = await signedIn(page)
  await page.goto(`${origin()}/account`)
  await expect(page.getByRole('link', { name: ru['promocode'] ?? '' })).toHaveAttribute('href', '/promocode')
  const always = ['/account?tab=statistic', '/account?tab=invoices', '/account?tab=profile', '/purchase']
  expect(await targets(page, ru['tabs'] ?? '')).toEqual(['/account', '/account?tab=proxyUsers', ...always])
  await buy(page, token, { pool: 'mobile', amount: 1 })
  await page.reload()
  await expect
    .poll(() => targets(page, ru['tabs'] ?? ''))
    .toEqual(['/account', '/account?tab=panel', ...always])
  for (const [place, [first, ...others]] of Object.entries(places)) {
    if (others.length === 0) continue
    await page.goto(`${origin()}/account?tab=${first}`)
    await expect(page.getByRole('heading', { level: 1, name: ru[`title.${first}`] ?? '' })).toBeVisible()
    expect(await targets(page, ru[`place.${place}`] ?? '')).toEqual(
      [first, ...others].map((tab) => `/account?tab=${tab}`),
    )
  }
})

test('no place and no tab is cut off at 320, 390, 720 and 768', async ({ page }) => {
  const ru = words('ru', 'userBtns')
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'mobile', amount: 1 })
  for (const tab of ['panel', 'moves']) {
    await page.goto(`${origin()}/account?tab=${tab}`)
    for (const width of [320, 390, 720, 768]) {
      await page.setViewportSize({ width, height: 844 })
      for (const name of [ru['tabs'] ?? '', ru[`place.${tab === 'panel' ? 'proxies' : 'billing'}`] ?? '']) {
        const links = page.getByRole('navigation', { name, exact: true }).getByRole('link')
        await expect(links.first()).toBeVisible()
        for (const link of await links.all())
          if (await link.isVisible()) await expect(link).toBeInViewport({ ratio: 1 })
      }
      await expectNoSidewaysScroll(page)
    }
  }
})

test('an unconfirmed address is mentioned once on the overview', async ({ page }) => {
  const { token, username } = await signedIn(page)
  await buy(page, token, { pool: 'mobile', amount: 1 })
  await page.goto(`${origin()}/account`)
  const { confirmAgain = '' } = words('ru', 'userBtns')
  await expect(page.getByRole('button', { name: confirmAgain })).toHaveCount(1)
  await page.goto(`${origin()}/account?tab=profile`)
  await expect(page.getByRole('main')).toContainText(`${username}@example.com`)
  await expect(page.getByRole('button', { name: confirmAgain })).toHaveCount(1)
})

test('an operator’s description of a payment method runs no script and loads nothing', async ({ page }) => {
  await page.goto('about:blank')
  await page.addScriptTag({
    path: path.join(import.meta.dirname, '../../node_modules/dompurify/dist/purify.js'),
  })
  const { ALLOWED_URI_REGEXP: uri, ...lists } = sanitizerOptions
  const clean = (html: string) =>
    page.evaluate(
      ([dirty, options, source]) => {
        const { DOMPurify } = window as unknown as { DOMPurify: typeof import('dompurify').default }
        return DOMPurify.sanitize(dirty, { ...options, ALLOWED_URI_REGEXP: new RegExp(source, 'i') })
      },
      [html, lists, uri.source] as const,
    )
  for (const [html, expected] of [
    ['Visa &amp; <b>Mastercard</b>,<br>from 1&nbsp;USD', 'Visa &amp; <b>Mastercard</b>,<br>from 1&nbsp;USD'],
    [
      '<a href="https://pay.example/terms" onclick="x()">terms</a>',
      '<a href="https://pay.example/terms">terms</a>',
    ],
    ['<img src=x onerror=alert(1)>Card', 'Card'],
    ['Card<script>alert(1)</script>', 'Card'],
    ['<a href="javascript:alert(1)">Card</a>', '<a>Card</a>'],
    ['<p style="position:fixed">Card</p>', '<p>Card</p>'],
    ['<iframe src="https://elsewhere.example"></iframe>Card', 'Card'],
    ['<form><input name="card"></form>Card', 'Card'],
  ] as const) {
    expect(await clean(html)).toBe(expected)
  }
})

test('the way to buy is in view beside all places, and nothing above the header, at 1024 and 1440', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account`)
  for (const width of [1024, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    const userBtns = words('ru', 'userBtns')
    const bar = page.getByRole('navigation', { name: userBtns['tabs'] ?? '' })
    await expect(bar.getByRole('link', { name: userBtns['place.proxies'] ?? '' })).toBeVisible()
    const buying = bar.getByRole('link', { name: userBtns['buy'] ?? '', exact: true })
    await expect(buying).toBeInViewport({ ratio: 1 })
    expect((await page.getByRole('banner').boundingBox())?.y).toBe(0)
  }
})
