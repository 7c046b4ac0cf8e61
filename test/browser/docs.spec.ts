/**
 * The documentation of the API and of the gateway. `shop.ts` fails a test on any console error or foreign
 * request.
 */
import { languagesFrom } from './screens.ts'
import {
  expect,
  expectAccessibleEverywhere,
  expectNoSidewaysScroll,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'

const pages = [
  { language: 'ru', path: '/docs', call: 'Создать прокси', error: /закончился трафик/ },
  { language: 'en', path: '/en/docs', call: 'Generate proxy lines', error: /no traffic left/ },
] as const

for (const { language, path, call, error } of pages) {
  if (!languagesFrom('en').includes(language)) continue
  const docs = words(language, 'docs')
  const text = (key: string) => docs[key] ?? `no text ${key}`

  test(`a call is found, opened and linked to (${language})`, async ({ page }) => {
    await page.goto(origin() + path)
    await page.getByRole('searchbox', { name: text('search') }).fill('sessionttl')
    await expect(page.getByRole('link', { name: text('connect.title') })).toHaveCount(0)
    const found = page.locator('#get_proxy')
    await found.getByText(call).click()
    await expect(found.getByText('/api/rpc/get_proxy').first()).toBeVisible()
    await expect(found.getByText(error)).toBeVisible()
    await expect(found.getByText('$API_TOKEN').first()).toBeVisible()
    await found.getByRole('radio', { name: 'Python' }).check()
    await expect(found.getByText('import requests')).toBeVisible()
    await found.getByRole('radio', { name: 'Node.js' }).check()
    await expect(found.getByText('await fetch(')).toBeVisible()
    await found.getByRole('link', { name: text('call.link') }).click()
    await expect(page).toHaveURL(`${origin()}${path}#get_proxy`)
    await page.reload()
    await expect(found.getByText('import requests').or(found.getByText('curl ').first())).toBeVisible()
  })

  test(`it is accessible with an open call, and a code of the gateway is found (${language})`, async ({
    page,
  }) => {
    await page.goto(`${origin()}${path}#create_invoice_web`)
    await expect(page.locator('#create_invoice_web').getByText('x-invoice-id').first()).toBeVisible()
    await expectAccessibleEverywhere(page)
    await page.getByRole('searchbox').fill('exits_full')
    await expect(page.locator('#code-exits_full')).toBeVisible()
    await expectNoSidewaysScroll(page)
    await page.getByRole('searchbox').fill('qwrtzp')
    await expect(page.getByRole('heading', { name: text('nothing') })).toBeVisible()
  })
}

test('the samples contain the customer’s token: hidden on the screen, copied in full', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { token } = await signedIn(page, 'en')
  // The page itself makes none.
  await page.request.post(`${origin()}/api/rpc/reseller_token`, {
    headers: { authorization: `Bearer ${token}` },
    data: {},
  })
  await page.goto(`${origin()}/en/docs#legacy_profile`)
  const call = page.locator('#legacy_profile')
  await expect(call.getByText('tpr_••••')).toBeVisible()
  await call
    .getByRole('button', { name: words('en', 'docs')['copy.code'] ?? '' })
    .first()
    .click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/Bearer tpr_[\w-]{20,}"/)
  expect(copied).not.toContain('API_TOKEN')
  expect(page.url()).not.toContain('tpr_')
  expect(await page.content()).not.toMatch(/tpr_[\w-]{20,}/)
})

test('the keyboard opens a call', async ({ page }) => {
  await page.goto(`${origin()}/docs`)
  const call = page.locator('#prices')
  await call.locator('summary').focus()
  await page.keyboard.press('Enter')
  await expect(call.getByText('residential_premium').first()).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(call.getByText('residential_premium')).toHaveCount(0)
})
