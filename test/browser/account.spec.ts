/** The account as a whole: every tab accessible in both themes at both widths; the bar of a phone. */
import path from 'node:path'
import {
  buy,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'
import { sanitizerOptions } from '../../web/ui/site/sanitizer-options.ts'

const tabs = [
  'main',
  'panel',
  'statistic',
  'requests',
  'whitelist',
  'proxyUsers',
  'invoices',
  'referal',
  'changePass',
  'resell',
]

for (const isFull of [false, true]) {
  test(`every tab ${isFull ? 'of a customer' : 'of a newcomer, in English'} is accessible in both themes at both widths`, async ({
    page,
  }) => {
    test.setTimeout(300_000)
    const { token } = await signedIn(page, isFull ? 'ru' : 'en')
    if (isFull) await buy(page, token, { pool: 'residential', amount: 1 })
    for (const tab of [...tabs.map((each) => `account?tab=${each}`), 'purchase?method=referral']) {
      await page.goto(`${origin()}/${tab}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      // The live requests stay open.
      if (!tab.includes('requests')) await page.waitForLoadState('networkidle')
      await expectAccessibleEverywhere(page)
    }
  })
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })
  test('the secondary tabs are in the sheet «more»', async ({ page }) => {
    const ru = words('ru', 'userBtns')
    await signedIn(page)
    await page.goto(`${origin()}/account`)
    const more = page.getByRole('button', { name: ru['more'] ?? '', exact: true })
    await more.click()
    const sheet = page.getByRole('dialog')
    await expect(sheet.getByRole('link')).toHaveCount(7)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(more).toBeFocused()
    await more.click()
    await sheet.getByRole('link', { name: ru['title.whitelist'] ?? '' }).click()
    await expect(sheet).toBeHidden()
    await expect(page).toHaveURL(`${origin()}/account?tab=whitelist`)
    await expect(page.getByRole('heading', { level: 1, name: ru['title.whitelist'] ?? '' })).toBeVisible()
  })
})

test('every tab is a link of the account, and promo codes are on the overview', async ({ page }) => {
  const ru = words('ru', 'userBtns')
  const { token } = await signedIn(page)
  await page.goto(`${origin()}/account`)
  await expect(page.getByRole('link', { name: ru['promocode'] ?? '' })).toHaveAttribute('href', '/promocode')
  const tabs = page.getByRole('navigation', { name: ru['tabs'] ?? '' }).getByRole('link')
  const targets = () => tabs.evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  const always = [
    '/account',
    '/account?tab=statistic',
    '/account?tab=requests',
    '/account?tab=whitelist',
    '/account?tab=proxyUsers',
    '/account?tab=invoices',
    '/account?tab=referal',
    '/account?tab=changePass',
    '/account?tab=resell',
    '/purchase',
  ]
  expect(await targets()).toEqual(always)
  await buy(page, token, { pool: 'mobile', amount: 1 })
  await page.reload()
  await expect.poll(targets).toEqual([always[0], '/account?tab=panel', ...always.slice(1)])
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

for (const width of [1024, 1440])
  test(`the way to buy is in view beside all tabs, and nothing above the header, at ${width}`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 })
    const { token } = await signedIn(page)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await page.goto(`${origin()}/account`)
    const userBtns = words('ru', 'userBtns')
    const bar = page.getByRole('navigation', { name: userBtns['tabs'] ?? '' })
    await expect(bar.getByRole('link', { name: userBtns['tab.panel'] ?? '' })).toBeVisible()
    const buying = bar.getByRole('link', { name: userBtns['buy'] ?? '', exact: true })
    await expect(buying).toBeInViewport({ ratio: 1 })
    expect((await page.getByRole('banner').boundingBox())?.y).toBe(0)
  })
