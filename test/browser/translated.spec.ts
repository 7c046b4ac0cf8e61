/** Every page keeps working while the browser translates it: texts change, appear and disappear as usual. */
import type { Page } from '@playwright/test'
import { publicPaths } from '#contract/pages'
import { buy, deskOrigin, expect, origin, signedIn, test, words } from './shop.ts'
import { languagesFrom } from './screens.ts'
import { member } from './staff.ts'
import { translatePages } from './translator.ts'

const textOf = (namespace: string) => {
  const all = words('ru', namespace)
  return (key: string) => all[key] ?? `no text ${key}`
}
const purchase = textOf('purchase')
const header = textOf('header')
const panel = textOf('userPanel')
const requests = textOf('requests')
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

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

/** Expects that the page has been translated and still works. */
async function expectWhole(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => window.translated ?? 0)).toBeGreaterThan(0)
  await expectHeading(page)
}

/**
 * Expects the heading once all dialogs are closed. A dialog hides the heading; some dialogs open later than
 * they were pressed, since their code is loaded first.
 */
async function expectHeading(page: Page): Promise<void> {
  await expect(async () => {
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape')
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached({ timeout: 500 })
  }).toPass({ timeout: 20_000 })
  await expect(page.getByRole('heading', { name: header('failed.title') })).toHaveCount(0)
}

/**
 * Presses every control of a page, one after the other, and closes what opens. The presses are events made in
 * the page: presses of a mouse would wait for controls that are hidden or covered.
 */
async function pressAll(page: Page, within: string): Promise<void> {
  const { pathname } = new URL(page.url())
  await page.evaluate(async (scope) => {
    const rendered = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const controls = () => [
      ...document.querySelectorAll<HTMLElement>(
        `${scope} :is(button, [role=button], [role=tab], input[type=radio])`,
      ),
    ]
    for (let index = 0; index < controls().length; index += 1) {
      const control = controls()[index]
      if (control === undefined || !control.checkVisibility()) continue
      control.focus()
      control.click()
      await rendered()
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
      await rendered()
    }
  }, within)
  expect(new URL(page.url()).pathname).toBe(pathname)
  await expectHeading(page)
}

for (const language of languagesFrom('ru'))
  test(`the public pages can be used while they are translated (${language})`, async ({ page }) => {
    test.setTimeout(300_000)
    await translatePages(page)
    for (const path of publicPaths)
      await test.step(path, async () => {
        await page.goto(`${origin()}${language === 'en' ? '/en' : ''}${path}`)
        await expectWhole(page)
        await pressAll(page, 'main')
        await expectWhole(page)
      })
  })

test('the pages of signing in show their errors while they are translated', async ({ page }) => {
  await translatePages(page)
  for (const path of ['/login', '/register', '/telegram-login', '/forgot_password', '/verify-bill']) {
    await page.goto(origin() + path)
    await expectWhole(page)
    await pressAll(page, 'main')
    await expectWhole(page)
  }
})

test('the tabs of the account can be used while they are translated', async ({ page }) => {
  test.setTimeout(300_000)
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await buy(page, token, { pool: 'mobile', amount: 1 })
  await translatePages(page)
  for (const tab of tabs)
    await test.step(tab, async () => {
      await page.goto(`${origin()}/account?tab=${tab}`)
      await expectWhole(page)
      await pressAll(page, 'main')
      await expectWhole(page)
    })
})

test('the sum on the button that pays follows the amount, the pool and the method', async ({ page }) => {
  await signedIn(page)
  await translatePages(page)
  await page.goto(`${origin()}/purchase?amount=5&pool=residential`)
  await expectWhole(page)
  const receipt = page.getByRole('region', { name: purchase('receipt') })
  const pay = receipt.getByRole('button', { name: purchase('payPlain') })
  await expect(pay).toContainText('17,50')
  const amount = page.getByLabel(purchase('amount'), { exact: true })
  await amount.fill('100')
  await expect(pay).toContainText('315,00')
  await page.getByRole('radio', { name: header('pools.mobile') }).click({ force: true })
  await expect(pay).not.toContainText('315,00')
  await page.getByRole('radio', { name: /^Резидентский(?! премиум)/ }).click({ force: true })
  await amount.fill('1')
  await expect(pay).toContainText('3,50')
  await amount.fill('')
  await pay.click()
  await expect(amount).toHaveAccessibleDescription(purchase('enterAmount'))
  await amount.fill('2')
  await expect(pay).toContainText('7,00')
  await expectWhole(page)
})

test('lines are generated and copied, and requests paused, while the page is translated', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await translatePages(page)
  await page.goto(`${origin()}/account?tab=panel`)
  await page
    .getByRole('button', { name: panel('summary.generate') })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: panel('result.copyAll') }).click()
  await expect(
    dialog.getByRole('status').filter({ hasText: textOf('userBtns')('copy.done') }),
  ).not.toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.goto(`${origin()}/account?tab=requests`)
  await page.getByRole('button', { name: requests('pause'), exact: true }).click()
  const state = page.getByRole('status').filter({ hasText: requests('paused') })
  await expect(state).toBeVisible()
  await page.getByRole('button', { name: requests('resume'), exact: true }).click()
  await expect(state).toHaveCount(0)
  await expectWhole(page)
})

test('the pages of the desk can be used while they are translated', async ({ page }) => {
  test.setTimeout(300_000)
  const customer = await signedIn(page)
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  await member(page, `translated${Date.now()}`, 'owner')
  await translatePages(page)
  const paths = ['/', '/customers', '/invoices', '/payments', '/reports', '/traffic', '/connections']
  const more = [
    '/exits',
    '/places',
    '/prices',
    '/promo-codes',
    '/shop',
    '/staff',
    '/audit',
    '/settings',
    '/me',
  ]
  for (const path of [...paths, ...more]) {
    await page.goto(deskOrigin() + path)
    await expectWhole(page)
    // Controls without effect on the shop: sorting and choosing columns, tabs and dimensions, opening menus.
    await pressAll(page, 'main :is(table thead, [role=tablist], fieldset)')
    await expectWhole(page)
  }
})
