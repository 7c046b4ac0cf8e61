/** Prices in another currency: chosen at the foot of the site, kept in the account, frozen on the invoice. */
import { turnpike } from './operator.ts'
import { methodTitle } from '#contract/invoices'
import { expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'

const header = words('ru', 'header')
const purchase = words('ru', 'purchase')
const panel = words('ru', 'userPanel')

test('a customer chooses a currency, sees prices in it, and buys for dollars', async ({ page }) => {
  await turnpike('rates', 'set', 'CHF', '0.8')
  await turnpike('rates', 'show', 'CHF')
  await signedIn(page)
  await page.goto(`${origin()}/`)
  const prices = page.locator('#prices')
  await expect(prices).toContainText('315,00\u00a0$')
  // The server renders pages without a user: the customer's name appears once the page reacts to input.
  await expect(page.locator('header a[href="/account"]').first()).toBeVisible()
  const saved = page.waitForResponse((answer) => answer.url().includes('set_display_currency'))
  await page.getByLabel(header['currency'] ?? '').selectOption('CHF')
  await expect(prices).toContainText('≈\u00a0252,00\u00a0CHF')
  expect((await saved).ok()).toBe(true)
  // The account stores the currency: a browser without a stored currency shows it too.
  await page.evaluate(() => localStorage.removeItem('currency'))
  await page.goto(`${origin()}/purchase?amount=10&pool=residential`)
  const receipt = page.getByRole('region', { name: purchase['receipt'] ?? '' })
  await expect(receipt).toContainText('≈\u00a028,00\u00a0CHF')
  await expect(receipt).toContainText('К оплате 35,00\u00a0$')
  await expect(receipt.getByRole('button')).toContainText('35,00\u00a0$')
  await expectAccessible(page)
  await page.getByRole('radio', { name: methodTitle('sandbox', 'ru') }).check({ force: true })
  const made = page.waitForResponse((answer) => answer.url().includes('create_invoice_web'))
  await receipt.getByRole('button').click()
  const number = (await (await made).headerValue('x-invoice-id')) ?? ''
  await page.waitForURL(/\/sandbox\/pay\//)
  await turnpike('rates', 'set', 'CHF', '0.9')
  await page.goto(`${origin()}/account?invoice=${number}`)
  await expect(page.getByText(panel['invoices.shownAs'] ?? '')).toBeVisible()
  await expect(page.getByText('28,00\u00a0CHF по курсу 0,80')).toBeVisible()
  await expectAccessible(page)
})
