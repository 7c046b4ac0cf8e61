/** The desk's pages Traffic, Connections, Payments and Reports. */
import { addUnclearReturn } from './operator.ts'
import { buy, deskOrigin, expect, expectAccessibleEverywhere, signedIn, test, words } from './shop.ts'
import { member } from './staff.ts'

test.use({ locale: 'en-US' })

const texts = (namespace: string) => {
  const known = words('en', namespace)
  return (key: string) => known[key] ?? `no text ${key}`
}
const desk = texts('desk')

test('traffic, connections, payments and reports are complete and accessible', async ({ page }) => {
  await member(page, 'figures', 'owner')
  for (const [address, key] of [
    ['/traffic', 'page.traffic'],
    ['/traffic?by=country', 'page.traffic'],
    ['/connections', 'page.connections'],
    ['/payments', 'page.payments'],
    ['/payments?tab=refunds', 'page.payments'],
    ['/payments?tab=processors', 'page.payments'],
    ['/payments?tab=receipts', 'page.payments'],
    ['/payments?tab=payouts', 'page.payments'],
    ['/reports', 'page.reports'],
    ['/reports?report=liability', 'page.reports'],
    ['/postings', null],
    ['/promo-codes/1?code=SPRING', null],
  ] as const) {
    await page.goto(deskOrigin() + address, { waitUntil: 'load' })
    const named = key === null ? {} : { name: desk(key) }
    await expect(page.getByRole('heading', { level: 1, ...named })).toBeVisible()
    await expectAccessibleEverywhere(page)
  }
})

test('the value of an unclear refund is entered on the page of its invoice', async ({ page }) => {
  const pages = texts('deskPages')
  const customer = await signedIn(page, 'en')
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  await addUnclearReturn()
  await member(page, 'returnskeeper', 'owner')
  await page.goto(`${deskOrigin()}/invoices?need=refund_unclear`)
  await page.locator('tbody a.mono').first().click()
  await expect(page.getByText('0.00042 BTC')).toBeVisible()
  await page.getByRole('button', { name: pages('settleReturn.act') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount, USD').fill('0.01')
  await dialog.getByLabel(desk('reason.label')).fill('the rate of that day')
  await expectAccessibleEverywhere(page)
  await dialog.getByRole('button', { name: pages('settleReturn.submit') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(pages('invoice.returns.state.counted'), { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: pages('settleReturn.act') })).toHaveCount(0)
})
