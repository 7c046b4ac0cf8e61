/** The desk's pages Traffic, Connections, Payments and Reports. */
import { deskOrigin, expect, expectAccessibleEverywhere, test, words } from './shop.ts'
import { join } from './staff.ts'

test.use({ locale: 'en-US' })

const texts = (namespace: string) => {
  const known = words('en', namespace)
  return (key: string) => known[key] ?? `no text ${key}`
}
const desk = texts('desk')

test('traffic, connections, payments and reports are whole and accessible', async ({ page }) => {
  await join(page, 'figures', 'owner', 'en')
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
