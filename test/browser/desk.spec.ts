/** The operator's desk: joining, signing in, a credit with its traces, what a role does not see. */
import {
  buy,
  deskOrigin,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  signedIn,
  test,
  words,
} from './shop.ts'
import { join, totpCode } from './staff.ts'

test.use({ locale: 'en-US' })

const t = words('en', 'desk')
const pages = words('en', 'deskPages')
const text = (key: string) => t[key] ?? `no text ${key}`
const pageText = (key: string) => pages[key] ?? `no text ${key}`

test('an owner joins, signs in, credits a customer with a reason, and finds it in the ledger and the audit', async ({
  page,
}) => {
  const customer = await signedIn(page, 'en')
  await buy(page, customer.token, { pool: 'residential', amount: 2 })
  const owner = await join(page, 'nightowner', 'owner', 'en')
  await expectAccessible(page)
  await page.getByRole('button', { name: text('recovery.done') }).click()
  await expect(page.getByRole('heading', { level: 1, name: pageText('today.title') })).toBeVisible()
  await expectAccessibleEverywhere(page)

  // Out, and in again with the password and the code of the app.
  await page.getByRole('button', { name: text('signOut') }).click()
  await page.getByLabel(text('signIn.name')).fill(owner.name)
  await page.getByLabel(text('signIn.password'), { exact: true }).fill('wrong')
  await page.getByRole('button', { name: text('signIn.submit') }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel(text('signIn.password'), { exact: true }).fill(owner.password)
  await page.getByRole('button', { name: text('signIn.submit') }).click()
  await page.getByLabel(text('factor.totp')).fill(await totpCode(owner.secret))
  await page.getByRole('button', { name: text('factor.submit') }).click()
  await expect(page.getByRole('heading', { level: 1, name: pageText('today.title') })).toBeVisible()

  // Ctrl K finds the customer; Enter opens the page.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(customer.username)
  await expect(page.getByRole('option', { name: customer.username })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: customer.username })).toBeVisible()
  await expectAccessibleEverywhere(page)

  await page.getByRole('button', { name: pageText('act.give'), exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(pageText('act.amountGb')).fill('1.5')
  await dialog.getByRole('button', { name: 'Give 1.50' }).click()
  await expect(dialog.getByText(text('reason.missing'))).toBeVisible()
  await dialog.getByLabel(text('reason.label')).fill('the exit was down last night')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Give 1.50' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row', { name: /Residential/ }).first()).toContainText('3.50')

  await page.getByRole('radio', { name: pageText('customer.tab.ledger') }).check()
  await expect(page).toHaveURL(/tab=ledger/)
  await expect(page.getByRole('cell', { name: '+1.50' })).toBeVisible()
  await expect(page.getByRole('cell', { name: '+2.00' })).toBeVisible()
  await expectAccessibleEverywhere(page)

  await page.goto(`${deskOrigin()}/audit?action=give_traffic`)
  const entry = page.getByRole('row', { name: /give_traffic/ })
  await expect(entry).toContainText('the exit was down last night')
  await expect(entry).toContainText(owner.name)
  await expectAccessibleEverywhere(page)
})

test('rows are moved through with the keyboard, and filters stay in the address', async ({ page }) => {
  const customer = await signedIn(page, 'en')
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  await join(page, 'keyboarder', 'operator', 'en')
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

test('what needs a fresh factor asks for it and goes on by itself', async ({ page }) => {
  const owner = await join(page, 'steppingup', 'owner', 'en')
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
  await join(page, 'onlooker', 'viewer', 'en')
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

test('every page is whole in Russian, in both themes and at both widths', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('lang', 'ru'))
  await join(page, 'readerofrussian', 'owner', 'ru')
  const ru = words('ru', 'desk')
  for (const [path, key] of [
    ['/', 'page.today'],
    ['/customers', 'page.customers'],
    ['/invoices', 'page.invoices'],
    ['/exits', 'page.exits'],
    ['/prices', 'page.prices'],
    ['/promo-codes', 'page.promo'],
    ['/staff', 'page.staff'],
    ['/audit', 'page.audit'],
    ['/me', 'page.me'],
  ] as const) {
    await page.goto(deskOrigin() + path, { waitUntil: 'networkidle' })
    await expect(page.getByRole('heading', { level: 1, name: ru[key] ?? key })).toBeVisible()
    await expectAccessibleEverywhere(page)
  }
})
