/**
 * The purchase page: product.md sections 2, 4, 5 (amount, method, promo code), 8 (its messages) and 9
 * (prices).
 */
import type { Page } from '@playwright/test'
import { methodTitle } from '#contract/invoices'
import { turnpike } from './operator.ts'
import { expect, expectAccessible, filled, origin, signedIn, test, words } from './shop.ts'

const ru = words('ru', 'purchase')
const text = (key: string, values: Record<string, string> = {}) => filled(ru[key] ?? `no text ${key}`, values)
const amount = (page: Page) => page.getByLabel(text('amount'), { exact: true })
const receipt = (page: Page) => page.getByRole('region', { name: text('receipt') })
const pay = (page: Page) => receipt(page).getByRole('button', { name: text('payPlain') })
const method = (page: Page, name: string) => page.getByRole('radio', { name: methodTitle(name, 'ru') })

test('without an account it redirects to /register, with the reason', async ({ page }) => {
  await page.goto(`${origin()}/purchase?amount=10&pool=mobile`)
  await expect(page).toHaveURL(`${origin()}/register`)
  await expect(page.getByText(text('registerFirst'))).toBeVisible()
})

test('the address fills the form; an amount is digits, at most 99 999 999, one by default', async ({
  page,
}) => {
  await signedIn(page)
  await page.goto(`${origin()}/purchase?amount=300&pool=mobile`)
  await expect(amount(page)).toHaveValue('300')
  await expect(page.getByRole('radio', { name: words('ru', 'header')['pools.mobile'] ?? '' })).toBeChecked()
  await page.goto(`${origin()}/purchase?amount=abc&pool=nonsense`)
  await expect(amount(page)).toHaveValue('1')
  await expect(page.getByRole('radio', { name: /^Резидентский(?! премиум)/ })).toBeChecked()
  await amount(page).fill('-1a2.5')
  await expect(amount(page)).toHaveValue('12')
  // Typed key by key, digits after a decimal separator are dropped too.
  for (const typed of ['12.5', '12,57']) {
    await amount(page).fill('')
    await amount(page).pressSequentially(typed)
    await expect(amount(page)).toHaveValue('12')
  }
  await amount(page).press('Backspace')
  await amount(page).press('5')
  await expect(amount(page)).toHaveValue('15')
  await amount(page).fill('123456789012')
  await expect(amount(page)).toHaveValue('99999999')
})

test('an amount and a payment method are required', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/purchase`)
  await amount(page).fill('')
  await pay(page).click()
  await expect(page.getByText(text('enterAmount')).first()).toBeVisible()
  await expect(amount(page)).toHaveAccessibleDescription(text('enterAmount'))
  await expect(amount(page)).toBeFocused()
  await amount(page).fill('5')
  await pay(page).click()
  await expect(page.getByText(text('selectPayment')).first()).toBeVisible()
  // The sum is pale until the server has computed it; then the button shows it.
  await expect(pay(page)).toContainText('17,50')
  await expectAccessible(page)
  await expect(page).toHaveURL(`${origin()}/purchase?amount=5`)
})

test('the price is base × (1 − volume) × (1 − promo), and a code is checked half a second after the last key', async ({
  page,
}) => {
  const code = `OFF${Date.now()}`
  await turnpike('promo', 'create-discount', code, '--percent', '20')
  await signedIn(page)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('discount_promocode_info')) asked.push(request.url())
  })
  await page.goto(`${origin()}/purchase?amount=100&pool=residential`)
  // 100 GB at 3.50 with a 10 % discount.
  await expect(pay(page)).toContainText('315,00')
  await page.getByLabel(text('promocode')).pressSequentially(code, { delay: 20 })
  await expect(page.getByText(text('promocodeApplied', { percent: '20\u00a0%' }))).toBeVisible()
  expect(asked).toHaveLength(1)
  await expect(pay(page)).toContainText('252,00')
  await expect(receipt(page)).toContainText('2,52')

  await page.getByLabel(text('promocode')).fill('NO-SUCH-CODE')
  await expect(page.getByLabel(text('promocode'))).toHaveAccessibleDescription(
    new RegExp(text('promocodeUnknown')),
  )
  await expect(pay(page)).toContainText('315,00')
  // A new amount checks the typed code again.
  await page.getByLabel(text('promocode')).fill(code.toLowerCase())
  await amount(page).fill('1')
  await expect(pay(page)).toContainText('2,80')
})

test('a price that cannot be calculated leaves the base price and a cost of 0', async ({ page }) => {
  await page.route('**/rpc/calculate', (route) => route.abort())
  await signedIn(page)
  await page.goto(`${origin()}/purchase?amount=100&pool=residential`)
  await expect(page.getByText(text('pricesFailed'))).toBeVisible()
  await expect(receipt(page).getByRole('button', { name: text('retry') })).toBeVisible()
  await expect(receipt(page)).toContainText('3,50')
  await expect(receipt(page)).toContainText('0,00')
  await expect(pay(page)).toHaveText(text('payPlain'))
  await expectAccessible(page)
})

test('a processor that does not answer is reported, and no money is taken', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/purchase?amount=5&pool=residential`)
  await method(page, 'cryptobot').check({ force: true })
  const refusing = page.waitForResponse((response) => response.url().endsWith('/rpc/create_invoice_web'))
  await pay(page).click()
  const { message } = (await (await refusing).json()) as { message: string }
  await expect(page.getByText(message)).toBeVisible()
  await expect(pay(page)).toBeEnabled()
  await method(page, 'sandbox').check({ force: true })
  await pay(page).click()
  await expect(page).toHaveURL(/\/sandbox\/pay\/[0-9a-f]{20}$/)
})

test('the payment methods load on a retry after a failure', async ({ page }) => {
  let answers = false
  await page.route('**/api/payment_systems', (route) => (answers ? route.continue() : route.abort()))
  await signedIn(page)
  await page.goto(`${origin()}/purchase`)
  await expect(page.getByText(text('methodsFailed'))).toBeVisible()
  answers = true
  await page.getByRole('button', { name: text('retry') }).click()
  await expect(method(page, 'sandbox')).toBeVisible()
})
