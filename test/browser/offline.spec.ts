/**
 * Without a network: a call that changes something fails at once and is never sent later; the content on the
 * screen stays.
 */
import type { BrowserContext, Page } from '@playwright/test'
import { buy, expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'

const textOf = (namespace: string) => {
  const all = words('ru', namespace)
  return (key: string) => all[key] ?? `no text ${key}`
}
const header = textOf('header')
const purchase = textOf('purchase')
const userBtns = textOf('userBtns')
const usage = textOf('usage')
const refused = 'ничего не отправлено'

const notice = (page: Page) => page.getByText(header('offline'))
const pay = (page: Page) =>
  page.getByRole('region', { name: purchase('receipt') }).getByRole('button', { name: purchase('payPlain') })

/** Waits until the browser has applied it, which takes a moment. */
async function goOffline(page: Page, context: BrowserContext): Promise<void> {
  await context.setOffline(true)
  await expect(notice(page)).toBeVisible()
}

/** The calls of a page that make an invoice. */
function orders(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    if (/create_invoice_web|referral_payment/.test(request.url())) sent.push(request.url())
  })
  return sent
}

test('a payment pressed offline fails at once, and no invoice is made when the network is back', async ({
  page,
  context,
}) => {
  const { token } = await signedIn(page)
  await page.goto(`${origin()}/purchase?amount=5&pool=residential&method=sandbox`)
  await expect(pay(page)).toContainText('17,50')
  const sent = orders(page)
  await goOffline(page, context)
  await pay(page).click()
  await expect(page.getByText(refused).first()).toBeVisible()
  await expect(pay(page)).toBeEnabled()
  await expect(pay(page)).not.toHaveAttribute('aria-busy', 'true')
  // The customer leaves the page; then the network comes back.
  await page
    .getByRole('link', { name: header('rules') })
    .first()
    .click()
  await context.setOffline(false)
  await expect(notice(page)).toBeHidden()
  await expect(page).toHaveURL(`${origin()}/rules`)
  await page.waitForLoadState('networkidle')
  expect(sent).toEqual([])
  const invoices = await page.request.get(`${origin()}/api/rpc/invoices`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(await invoices.json()).toEqual([])
  await expect(page).toHaveURL(`${origin()}/rules`)
})

test('an answer that arrives after navigation from the order page does not lead to the payment page', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await page.goto(`${origin()}/purchase?amount=5&pool=residential&method=sandbox`)
  await expect(pay(page)).toContainText('17,50')
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/rpc/create_invoice_web', async (route) => {
    const answer = await route.fetch()
    await held
    await route.fulfill({ response: answer })
  })
  await pay(page).click()
  await page
    .getByRole('link', { name: header('rules') })
    .first()
    .click()
  await expect(page).toHaveURL(`${origin()}/rules`)
  release()
  await expect(page.getByText(purchase('invoiceWaits'))).toBeVisible()
  await expect(page).toHaveURL(`${origin()}/rules`)
  const invoices = (await (
    await page.request.get(`${origin()}/api/rpc/invoices`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as unknown[]
  expect(invoices.length).toBeGreaterThan(0)
})

test('the content on the screen stays, one notice gives the reason, and reads end', async ({
  page,
  context,
}) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=profile`)
  await expect(page.getByText(usage('privacySwitch'))).toBeVisible()
  await goOffline(page, context)
  await expect(page.getByText(usage('privacySwitch'))).toBeVisible()
  // The tab's code may be loaded or not, its data is not: in either case no skeleton stays.
  await page.getByRole('checkbox', { name: usage('privacySwitch') }).click()
  await expect(page.getByText(refused).first()).toBeVisible()
  await expect(page.getByRole('checkbox', { name: usage('privacySwitch') })).not.toBeChecked()
  await expectAccessible(page)
  // The account shows no second notice, about its outdated balance.
  for (let asked = 0; asked < 3; asked += 1)
    await page.waitForEvent('requestfailed', (request) => request.url().endsWith('/healthz'))
  await expect(page.getByText(userBtns('stale'))).toHaveCount(0)
  await context.setOffline(false)
  await expect(notice(page)).toBeHidden()
  await page.waitForLoadState('networkidle')
  await expect(page.getByRole('checkbox', { name: usage('privacySwitch') })).not.toBeChecked()
})
