/** Invoices: the list, and the page that polls one until it is paid. */
import type { Page } from '@playwright/test'
import { expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'

const ru = words('ru', 'userPanel')
const text = (key: string) => ru[key] ?? ''

async function order(page: Page, token: string, amount = 10): Promise<string> {
  const answer = await page.request.post(`${origin()}/api/rpc/create_invoice_web`, {
    headers: { authorization: `Bearer ${token}` },
    data: { payment_method: 'sandbox', pool: 'residential', amount },
  })
  return answer.headers()['x-invoice-id'] ?? ''
}

const press = (page: Page, number: string, result: string) =>
  page.request.post(`${origin()}/sandbox/pay/${number}`, { form: { result }, maxRedirects: 0 })

test('without a purchase the list explains its purpose', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/account?tab=invoices`)
  await expect(page.getByText(text('invoices.empty'))).toBeVisible()
})

test('an open invoice is polled until it is paid, and links to the payment', async ({ page }) => {
  const { token } = await signedIn(page)
  const number = await order(page, token)
  await page.goto(`${origin()}/account?tab=invoices`)
  await page.getByRole('link', { name: /35,00/ }).click()
  await expect(page).toHaveURL(`${origin()}/account?invoice=${number}`)
  await expect(page.getByRole('heading', { name: text('invoices.heading.pending') })).toBeVisible()
  await expectAccessible(page)

  await press(page, number, 'paid')
  await expect(page.getByRole('heading', { name: /Оплачено: 10,00/ })).toBeVisible()
  await expect(page.getByRole('link', { name: text('invoices.generate') })).toBeVisible()
  const download = page.getByRole('button', { name: new RegExp(text('invoices.documents.download')) })
  await expect(download).toBeVisible()
  await expectAccessible(page)
  const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
  expect(file.suggestedFilename()).toMatch(/^specimen-\d{6}\.pdf$/)
})

test('the payment page returns to the invoice', async ({ page }) => {
  const { token } = await signedIn(page)
  const number = await order(page, token)
  await page.goto(`${origin()}/account?invoice=${number}`)
  await page.getByRole('button', { name: /Перейти к оплате/ }).click()
  await expect(page).toHaveURL(`${origin()}/sandbox/pay/${number}`)
  await page.locator('button[value=underpaid]').click()
  await expect(page).toHaveURL(`${origin()}/account?invoice=${number}`)
  await expect(page.getByRole('heading', { name: /зачислено 5,00/ })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('17,50')
  await page.getByRole('button', { name: /Доплатить 17,50/ }).click()
  await expect(page).toHaveURL(`${origin()}/sandbox/pay/${number}`)
  await page.locator('button[value=paid]').click()
  await expect(page.getByRole('heading', { name: /Оплачено: 10,00/ })).toBeVisible()
})

test('a cancelled invoice states that no money was taken', async ({ page }) => {
  const { token } = await signedIn(page)
  const number = await order(page, token)
  await press(page, number, 'cancelled')
  await page.goto(`${origin()}/account?invoice=${number}`)
  await expect(page.getByText(text('invoices.explain.cancelled'))).toBeVisible()
})

test('another customer’s invoice is unknown', async ({ page }) => {
  const { token } = await signedIn(page)
  const number = await order(page, token)
  await page.evaluate(() => localStorage.clear())
  await signedIn(page)
  await page.goto(`${origin()}/account?invoice=${number}`)
  await expect(page.getByText(text('invoices.unknown'), { exact: true })).toBeVisible()
})

test('more than fifty are listed page by page', async ({ page }) => {
  const { token } = await signedIn(page)
  // Invoices are made in batches of the number that may be open at once.
  for (let made = 0; made < 54; made += 9)
    await Promise.all(
      Array.from({ length: 9 }, async () => press(page, await order(page, token, 1), 'cancelled')),
    )
  await page.goto(`${origin()}/account?tab=invoices`)
  const rows = page.getByRole('list', { name: text('invoices.list') }).getByRole('listitem')
  await expect(rows).toHaveCount(50)
  await page.getByRole('button', { name: text('invoices.more') }).click()
  await expect(rows).toHaveCount(54)
  await expect(page.getByRole('button', { name: text('invoices.more') })).toHaveCount(0)
  const numbers = await rows
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(new Set(numbers).size).toBe(54)
})
