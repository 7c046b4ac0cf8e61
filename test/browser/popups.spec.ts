/**
 * Every dialog, popup and notice is accessible in both themes and at both widths: opened once, checked four
 * times.
 */
import type { Page } from '@playwright/test'
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

const panel = { ...words('ru', 'userPanel'), ...words('ru', 'security') }
const text = (key: string) => panel[key] ?? `no text ${key}`

const dialog = (page: Page) => page.getByRole('dialog')

test.describe.configure({ timeout: 300_000 })
test.beforeEach(async ({ page }) => page.setViewportSize({ width: 1440, height: 900 }))

test('the pickers of places, zip codes and networks, and the choice of a format', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=panel`)
  for (const label of [
    'place.countries',
    'place.states',
    'place.cities',
    'place.zipcodes',
    'network.include',
    'network.exclude',
  ]) {
    await page.getByRole('button', { name: new RegExp(`^${text(label)}:`) }).click()
    await dialog(page)
      .getByRole('combobox')
      .fill(label === 'place.countries' ? 'США' : '')
    await dialog(page).getByRole('option').first().click()
    await expectAccessibleEverywhere(page)
    await dialog(page)
      .getByRole('button', { name: text('picker.confirm') })
      .click()
    await expect(dialog(page)).toHaveCount(0)
  }
  await page.getByRole('button', { name: new RegExp(`^${text('output.format')}:`) }).click()
  await expectAccessibleEverywhere(page)
  await page.keyboard.press('Escape')
  // The panel itself with all settings chosen, and its warning of the double tariff.
  await expectAccessibleEverywhere(page)
})

test('the generated lines, with samples and a notice', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=panel`)
  await page.getByLabel(text('output.quantity'), { exact: true }).fill('21')
  await page.getByRole('button', { name: text('summary.generate') }).click()
  await expect(page.getByText(text('result.ready'))).toBeVisible()
  await page.getByText(text('result.ready')).hover()
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  await page.getByLabel(text('output.quantity'), { exact: true }).fill('5')
  await page.getByRole('button', { name: text('summary.generate') }).click()
  await expect(dialog(page)).toBeVisible()
  await expectAccessibleEverywhere(page)
  // Rotating lines are equal, which the dialog says; sticky lines differ.
  const lines = () =>
    dialog(page)
      .getByRole('list', { name: text('result.list') })
      .locator('code')
      .allTextContents()
  expect(new Set(await lines()).size).toBe(1)
  await dialog(page)
    .getByRole('button', { name: /^Создать 5 липких строк/ })
    .click()
  await expect(dialog(page).getByText(text('result.same'))).toHaveCount(0)
  expect(new Set(await lines()).size).toBe(5)
})

test('the warnings before a proxy password or a token is replaced', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  for (const [tab, act] of [
    ['changePass', 'security.reset'],
    ['resell', 'reseller.rotate'],
    ['resell', 'reseller.revoke'],
  ] as const) {
    await page.goto(`${origin()}/account?tab=${tab}`)
    await page.getByRole('button', { name: text(act), exact: true }).click()
    await expect(dialog(page)).toBeVisible()
    await expectAccessibleEverywhere(page)
  }
})

test('a paid invoice, an open one, and an unknown one', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  const headers = { authorization: `Bearer ${token}` }
  const data = { payment_method: 'sandbox', pool: 'mobile', amount: 3 }
  const made = await page.request.post(`${origin()}/api/rpc/create_invoice_web`, { headers, data })
  const all = (await (await page.request.get(`${origin()}/api/rpc/invoices`, { headers })).json()) as {
    number: string
    state: string
  }[]
  const paid = all.find(({ state }) => state === 'paid')?.number ?? ''
  for (const number of [paid, made.headers()['x-invoice-id'] ?? '', 'unknown']) {
    await page.goto(`${origin()}/account?invoice=${number}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expectAccessibleEverywhere(page)
  }
})

test('forms with invalid values, and the page of the sandbox’s payment', async ({ page }) => {
  for (const path of [
    '/login',
    '/register',
    '/forgot_password',
    '/reset_password?reset_token=x',
    '/telegram-login',
  ]) {
    await page.goto(origin() + path)
    await page.getByRole('main').locator('button[type=submit]').click()
    await expect(page.locator('[aria-invalid=true]').first()).toBeVisible()
    await expectAccessibleEverywhere(page)
  }
  const { token } = await signedIn(page)
  const made = await page.request.post(`${origin()}/api/rpc/create_invoice_web`, {
    headers: { authorization: `Bearer ${token}` },
    data: { payment_method: 'sandbox', pool: 'mobile', amount: 3 },
  })
  await page.goto(`${origin()}/sandbox/pay/${made.headers()['x-invoice-id']}`)
  await expectAccessibleEverywhere(page)
})
