/**
 * The desk's pages of customers and invoices: open cases, limits, a saved view, an act on many customers, the
 * history of an invoice.
 */
import { hiddenSecret } from '#contract/view'
import {
  buy,
  deskOrigin,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'
import { member } from './staff.ts'

test.use({ locale: 'en-US' })

const texts = words('en', 'deskCustomer')
const desk = words('en', 'desk')
const actions = words('en', 'deskActions')
const text = (key: string) => texts[key] ?? `no text ${key}`

test('a customer’s limits are changed for a reason, and every list of the page is accessible', async ({
  page,
}) => {
  const customer = await signedIn(page, 'en')
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  await member(page, 'limiter', 'operator')
  await page.goto(`${deskOrigin()}/customers?text=${customer.username}`)
  await page.getByRole('link', { name: customer.username }).click()
  // On a small desktop all lists of a customer are in one row, in both languages.
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(page.getByRole('radio', { name: text('lists.access'), exact: true })).toBeVisible()
  for (const language of ['ru', 'en'] as const) {
    await page.evaluate((code) => localStorage.setItem('lang', code), language)
    await page.reload()
    const list = page.getByRole('radio', {
      name: words(language, 'deskCustomer')['lists.timeline'] ?? '',
      exact: true,
    })
    await expect(list).toBeVisible()
    const group = page.locator('fieldset').filter({ has: list })
    const tops = await group
      .locator('label')
      .evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top))
    expect(new Set(tops).size, language).toBe(1)
  }
  await page.getByRole('radio', { name: text('lists.access'), exact: true }).check()
  await page.getByRole('button', { name: text('limits.change') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(text('limits.dayGb')).fill('2.5')
  await dialog.getByLabel(desk['reason.label'] ?? '').fill('a runaway script')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: text('limits.save') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('of 2.50 GB')).toBeVisible()
  // The change is undone from the notice that follows it, and made again from the audit trail.
  const undo = page.getByRole('button', { name: actions['undo.act'] ?? '' })
  await expectAccessible(page)
  await undo.click()
  await expect(page.getByText('of 2.50 GB')).toHaveCount(0)
  await page.goto(`${deskOrigin()}/audit?action=set_customer_limits`)
  await undo.first().click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: actions['undo.act'] ?? '' }).click()
  await expect(dialog).toHaveCount(0)
  await page.goto(`${deskOrigin()}/customers?text=${customer.username}`)
  await page.getByRole('link', { name: customer.username }).click()
  await page.getByRole('radio', { name: text('lists.access'), exact: true }).check()
  await expect(page.getByText('of 2.50 GB')).toBeVisible()

  // A new tab shows the shop as the customer sees it: nothing can be changed there, and the session of the
  // browser's own visitor is kept.
  await page.getByRole('button', { name: text('acts.seeAs') }).click()
  await dialog.getByLabel(desk['reason.label'] ?? '').fill('sees no limits')
  await dialog.getByRole('button', { name: text('seeAs.act') }).click()
  const [shop] = await Promise.all([page.waitForEvent('popup'), dialog.getByRole('link').click()])
  const seeAs = words('en', 'seeAs')
  await shop.waitForURL('**/account')
  const banner = shop.getByRole('region', { name: seeAs['title'] ?? '' })
  await expect(banner).toContainText(customer.username)
  await expectAccessible(shop)
  await shop.goto(`${origin()}/account?tab=changePass`)
  const kept = await shop.evaluate(() => ({
    ofTab: sessionStorage.getItem('user'),
    ofBrowser: localStorage.getItem('user'),
    cookies: document.cookie,
  }))
  expect(kept.ofTab).toContain(`"password":"${hiddenSecret}"`)
  expect(kept.ofBrowser).toContain(customer.token)
  expect(kept.ofBrowser).not.toContain(hiddenSecret)
  expect(kept.cookies).toBe('')
  await banner.getByRole('button', { name: seeAs['end'] ?? '' }).click()
  await expect(shop.getByRole('heading', { name: seeAs['ended'] ?? '' })).toBeVisible()
  await shop.goto(`${origin()}/account`)
  await expect(banner).toHaveCount(0)
  await shop.close()

  for (const list of ['live', 'usage', 'promo', 'letters', 'access'] as const) {
    await page.getByRole('radio', { name: text(`lists.${list}`), exact: true }).check()
    await expect(page).toHaveURL(new RegExp(`tab=${list}`))
    await expectAccessibleEverywhere(page)
  }
})

test('a view is saved and opened, and many customers are tagged after a dry run', async ({ page }) => {
  const customer = await signedIn(page, 'en')
  await member(page, 'manager', 'operator')
  await page.goto(`${deskOrigin()}/customers?text=${customer.username}`)
  await expect(page.getByRole('link', { name: customer.username })).toBeVisible()
  await page.locator('summary', { hasText: desk['views.title'] ?? '' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: desk['views.save'] ?? '' }).click()
  await page
    .getByRole('dialog')
    .getByLabel(desk['views.name'] ?? '')
    .fill('The one')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: desk['views.submit'] ?? '' })
    .click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.goto(`${deskOrigin()}/customers`)
  await page.locator('summary', { hasText: desk['views.title'] ?? '' }).click()
  await page.getByRole('link', { name: 'The one' }).click()
  await expect(page).toHaveURL(new RegExp(`text=${customer.username}`))
  await expect(page.locator('tbody tr')).toHaveCount(1)

  await page.locator('tbody').getByRole('checkbox').check()
  await page.getByRole('button', { name: text('many.act.tag') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('watched')
  await expect(dialog.getByText('1 customer will be changed.')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: text('many.act.tag') }).click()
  await expect(dialog.getByText('Done: 1.')).toBeVisible()
  await expectAccessible(page)
  await dialog
    .getByRole('button', { name: text('many.close') })
    .last()
    .click()
  await expect(page.getByRole('cell', { name: 'watched' })).toBeVisible()
})

test('an invoice shows its history, and a notification is processed again', async ({ page }) => {
  const customer = await signedIn(page, 'en')
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  await member(page, 'bookkeeper', 'accountant')
  await page.goto(`${deskOrigin()}/invoices?text=${customer.username}`)
  await page.locator('tbody a.mono').first().click()
  await page.getByRole('button', { name: words('en', 'deskPages')['timeline.raw'] ?? '' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('replay') })
    .click()
  await expect(page.getByRole('dialog').getByText('Result: already counted.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('A notification was processed again: already counted.')).toBeVisible()
  await expectAccessibleEverywhere(page)
})

test('a customer’s data is erased as the preview showed it, and the consent ends when that changes', async ({
  page,
}) => {
  const customer = await signedIn(page, 'en')
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  await member(page, 'eraser', 'owner')
  await page.goto(`${deskOrigin()}/customers?text=${customer.username}`)
  await page.getByRole('link', { name: customer.username }).click()
  await expect(page.getByRole('heading', { level: 1, name: customer.username })).toBeVisible()
  await page.locator('summary').getByText(text('acts.more'), { exact: true }).click()
  await page.getByRole('button', { name: text('acts.erase'), exact: true }).click()
  const dialog = page.getByRole('dialog')
  const consent = dialog.getByRole('checkbox')
  await expect(dialog.getByText(text('person.fate.removed'), { exact: true })).toBeVisible()
  await expect(consent).toHaveAccessibleName(/1\.00\sGB residential/i)
  await expectAccessibleEverywhere(page)
  const erase = dialog.getByRole('button', { name: text('person.eraseSubmit') })
  await dialog.getByLabel(desk['reason.label'] ?? '').fill('asked by letter')
  await dialog
    .getByRole('textbox', { name: /type the number/ })
    .fill(new URL(page.url()).pathname.split('/').at(-1) ?? '')
  await consent.check()
  await buy(page, customer.token, { pool: 'residential', amount: 2 })
  await erase.click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await expect(consent).not.toBeChecked()
  await expect(consent).toHaveAccessibleName(/3\.00\sGB residential/i)
  await expectAccessible(page)
  await consent.check()
  await erase.click()
  await expect(dialog).toHaveCount(0)
  await expect(
    page.getByText(words('en', 'deskPages')['customer.erasedPlain'] ?? '', { exact: false }),
  ).toBeVisible()
  await expectAccessibleEverywhere(page)
})
