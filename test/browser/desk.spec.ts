/** The operator's desk: the keyboard, a fresh factor, what a role does not see, every page in Russian. */
import {
  buy,
  deskOrigin,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  showPage,
  signedIn,
  test,
  words,
} from './shop.ts'
import { member } from './staff.ts'

test.use({ locale: 'en-US' })

const t = words('en', 'desk')
const pages = words('en', 'deskPages')
const text = (key: string) => t[key] ?? `no text ${key}`
const pageText = (key: string) => pages[key] ?? `no text ${key}`

test('rows are moved through with the keyboard, and filters stay in the address', async ({ page }) => {
  const customer = await signedIn(page, 'en')
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  await member(page, 'keyboarder', 'operator')
  await page.goto(`${deskOrigin()}/customers`)
  await expect(page.getByRole('link', { name: customer.username })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type(customer.username)
  await expect(page).toHaveURL(new RegExp(`text=${customer.username}`))
  await expect(page.locator('tbody tr')).toHaveCount(1)
  const csv = await page.getByRole('link', { name: text('table.csv') }).getAttribute('href')
  expect(csv).toContain(`text=${customer.username}`)
  await page.keyboard.press('Enter')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(page.locator('tbody tr')).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('link', { name: customer.username }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: customer.username })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(new RegExp(`text=${customer.username}`))
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: text('help.title') })).toBeVisible()
})

test('an act that needs a fresh factor asks for it and then continues', async ({ page }) => {
  const owner = await member(page, 'steppingup', 'owner')
  await page.goto(`${deskOrigin()}/staff`)
  await page.getByRole('button', { name: pageText('staff.invite') }).click()
  await page.getByLabel(text('signIn.name')).fill('newhelper')
  // Once, as the server answers ten minutes after the factor was proved.
  await page.route(
    '**/api/invite_staff',
    (route) => route.fulfill({ status: 403, json: { code: 'step_up_needed', message: '' } }),
    { times: 1 },
  )
  await page.getByRole('button', { name: pageText('staff.makeLink') }).click()
  const asked = page.getByRole('dialog', { name: text('stepUp.title') })
  await asked.getByRole('button', { name: text('factor.with.recovery_code') }).click()
  await asked.getByLabel(text('factor.recovery')).fill(owner.recoveryCodes[0] ?? '')
  await asked.getByRole('button', { name: text('stepUp.submit') }).click()
  await expect(page.getByText(/\/join#/)).toBeVisible()
  await expectAccessible(page)
})

test('a viewer sees neither staff nor audit nor acts, and contacts are masked', async ({ page }) => {
  const customer = await signedIn(page, 'en')
  await member(page, 'onlooker', 'viewer')
  await page.goto(`${deskOrigin()}/customers?text=${customer.username}`)
  await expect(page.getByRole('link', { name: customer.username })).toBeVisible()
  await expect(page.getByText(`${customer.username}@example.com`)).toHaveCount(0)
  const navigation = page.getByRole('navigation', { name: text('navigation') })
  await expect(navigation.getByRole('link', { name: text('page.invoices') })).toBeVisible()
  for (const name of ['page.staff', 'page.audit'])
    await expect(navigation.getByRole('link', { name: text(name) })).toHaveCount(0)
  await page.goto(`${deskOrigin()}/staff`)
  await expect(page.getByRole('heading', { name: text('forbidden.title') })).toBeVisible()
  await page.goto(`${deskOrigin()}/customers?text=${customer.username}`)
  await page.getByRole('link', { name: customer.username }).click()
  await expect(page.getByRole('heading', { level: 1, name: customer.username })).toBeVisible()
  await expect(page.getByRole('button', { name: pageText('act.give'), exact: true })).toHaveCount(0)
})

test('every page is complete in Russian, in both themes and at both widths', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('lang', 'ru'))
  await member(page, 'readerofrussian', 'owner')
  const ru = words('ru', 'desk')
  await page.goto(deskOrigin())
  for (const [path, key] of [
    ['/', 'page.today'],
    ['/customers', 'page.customers'],
    ['/invoices', 'page.invoices'],
    ['/traffic', 'page.traffic'],
    ['/connections', 'page.connections'],
    ['/payments', 'page.payments'],
    ['/reports', 'page.reports'],
    ['/exits', 'page.exits'],
    ['/prices', 'page.prices'],
    ['/promo-codes', 'page.promo'],
    ['/places', 'page.places'],
    ['/status', 'page.status'],
    ['/shop', 'page.shop'],
    ['/shop?tab=rules', 'page.shop'],
    ['/settings', 'page.settings'],
    ['/staff', 'page.staff'],
    ['/audit', 'page.audit'],
    ['/me', 'page.me'],
  ] as const) {
    await showPage(page, path, ru[key] ?? key)
    await expectAccessibleEverywhere(page, { isPage: true })
  }
})
