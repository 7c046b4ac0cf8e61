/** The referral tab, and paying from its balance (product.md sections 2, 4 and 8). */
import type { Page } from '@playwright/test'
import { methodTitle } from '#contract/invoices'
import { knowAllDevices, turnpike } from './operator.ts'
import { languagesFrom } from './screens.ts'
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

const referral = words('ru', 'referral')
const userBtns = words('ru', 'userBtns')
const purchase = words('ru', 'purchase')

async function linkOf(page: Page, token: string): Promise<string> {
  const answer = await page.request.get(`${origin()}/api/legacy_referal_info`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const [info] = (await answer.json()) as [{ links: { website: string } }]
  return info.links.website
}

/**
 * Signs up a customer by another customer's link and buys 100 GB as that customer: 315.00 USD, of which the
 * inviter gets a tenth.
 */
async function inviteBuyer(page: Page, link: string): Promise<void> {
  const username = `invited${Date.now()}`
  const post = (call: string, data: object) => page.request.post(`${origin()}/api/rpc/${call}`, { data })
  const referral_id = new URL(link).searchParams.get('ref')
  const person = { username, password: 'a long password' }
  await post('signup', { ...person, email: `${username}@example.com`, referral_id })
  const token = await (await post('signin', person)).text()
  await buy(page, token, { pool: 'residential', amount: 100 })
}

test('the referral tab shows balance, count and share, and copies both links', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  const { token } = await signedIn(page)
  const link = await linkOf(page, token)
  await inviteBuyer(page, link)
  await page.goto(`${origin()}/account?tab=referal`)
  const main = page.getByRole('main')
  await expect(main).toContainText('31,50\u00a0$')
  await expect(main).toContainText('10\u00a0%')
  await expect(main).toContainText(link)
  const invitation = `https://t.me/turnpike_test_bot?start=${new URL(link).searchParams.get('ref')}`
  await expect(main).toContainText(invitation)
  const copies = page.getByRole('button', { name: userBtns['copy.act'] ?? '', exact: true })
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await copies.first().click()
  await expect(page.getByText(userBtns['copy.done'] ?? '').first()).toBeAttached()
  await expect.poll(clipboard).toBe(link)
  await copies.last().click()
  await expect.poll(clipboard).toBe(invitation)
})

test('the referral tab buys from the referral balance and redirects to the account', async ({ page }) => {
  const { token } = await signedIn(page)
  await inviteBuyer(page, await linkOf(page, token))
  await page.goto(`${origin()}/account?tab=referal`)
  await page.getByRole('link', { name: referral['spend'] ?? '' }).click()
  await expect(page.getByRole('radio', { name: methodTitle('referral', 'ru') })).toBeChecked()
  await page.getByLabel(purchase['amount'] ?? '', { exact: true }).fill('2')
  await page.getByRole('button', { name: /7,00/ }).click()
  await expect(page).toHaveURL(`${origin()}/account`)
  await expect(page.getByText(purchase['referralPaid'] ?? '')).toBeVisible()
  await expect(page.getByRole('main')).toContainText(/2,00/)
})

for (const language of languagesFrom('ru')) {
  test(`an insufficient balance is refused with a sentence (${language})`, async ({ page }) => {
    const texts = words(language, 'purchase')
    await signedIn(page, language)
    await page.goto(`${origin()}/purchase?amount=10&pool=residential&method=referral`)
    await expect(page.getByText(/35[.,]00.*$/).first()).toBeVisible()
    await page.getByRole('button', { name: /35[.,]00/ }).click()
    await expect(page.getByText(texts['referralFailed'] ?? '')).toBeVisible()
    await expect(page).toHaveURL(/\/purchase/)
  })
}

const wallet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

test('the referral tab shows earnings by day, and copies a banner', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  const { token } = await signedIn(page)
  const link = await linkOf(page, token)
  await inviteBuyer(page, link)
  await page.goto(`${origin()}/account?tab=referal`)
  const earnings = page.getByRole('region', { name: referral['earnings'] ?? '' })
  await expect(earnings.getByRole('listitem')).toContainText('31,50\u00a0$')
  const banners = page.getByRole('region', { name: referral['banners'] ?? '' })
  await banners.getByRole('button', { name: referral['copyHtml'] ?? '' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain(`<a href="${link.replaceAll('&', '&amp;')}">`)
})

test('the referral tab leads from the balance to an order that it covers', async ({ page }) => {
  const say = words('ru', 'payouts')
  const { token } = await signedIn(page)
  await inviteBuyer(page, await linkOf(page, token))
  await page.goto(`${origin()}/account?tab=referal`)
  const section = page.getByRole('region', { name: say['title'] ?? '' })
  await section.getByRole('link', { name: /9/ }).click()
  await expect(page.getByRole('radio', { name: methodTitle('referral', 'ru') })).toBeChecked()
  await page.getByRole('button', { name: /31,50/ }).click()
  await expect(page.getByText(purchase['referralPaid'] ?? '')).toBeVisible()
})

for (const language of languagesFrom('en')) {
  test(`a payout is asked for, cancelled, asked for again and sent by staff (${language})`, async ({
    page,
    browser,
  }) => {
    const say = words(language, 'payouts')
    const text = (key: string) => say[key] ?? key
    await turnpike('settings', 'set', 'payouts', '1', '--reason', 'a test')
    const { token } = await signedIn(page, language)
    await inviteBuyer(page, await linkOf(page, token))
    await knowAllDevices()
    await page.goto(`${origin()}/account?tab=referal`)
    const section = page.getByRole('region', { name: text('title') })
    await section.getByRole('radio', { name: text('wallet') }).check()
    const send = section.getByRole('button', { name: /31[.,]50|25[.,]00/ })
    await section.getByLabel(text('address'), { exact: true }).fill(wallet.replace('TR7', 'TR8'))
    await send.click()
    await expect(section.getByRole('alert')).toContainText('TRC-20')
    await expectAccessibleEverywhere(page)
    await section.getByLabel(text('address'), { exact: true }).fill(wallet)
    await section.getByLabel(text('amount'), { exact: true }).fill('25')
    await send.click()
    const history = section.getByRole('list', { name: text('history') })
    await expect(history).toContainText(text('state.requested'))
    await history.getByRole('button', { name: text('cancel') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('cancelAct') })
      .click()
    await expect(history).toContainText(text('state.cancelled'))
    await section.getByLabel(text('address'), { exact: true }).fill(wallet)
    await send.click()
    await expect(history).toContainText(text('state.requested'))

    const office = await browser.newContext({ locale: language })
    const desk = await office.newPage()
    const act = words(language, 'deskPayouts')
    await member(desk, `cashier-${language}`, 'accountant')
    await desk.goto(`${deskOrigin()}/payments?tab=payouts&state=open`, { waitUntil: 'load' })
    const press = (key: string) => desk.getByRole('button', { name: act[key] ?? key, exact: true })
    await press('take').first().click()
    await expectAccessible(desk)
    await desk
      .getByRole('dialog')
      .getByRole('button', { name: act['take'] ?? '', exact: true })
      .click()
    await press('pay').first().click()
    const dialog = desk.getByRole('dialog')
    await expect(dialog).toContainText(wallet)
    await dialog.getByLabel(act['reference'] ?? '').fill('4f1c09ab22de')
    await dialog.getByRole('button', { name: act['pay'] ?? '', exact: true }).click()
    await expect(dialog).toBeHidden()
    await desk.goto(`${deskOrigin()}/payments?tab=payouts`, { waitUntil: 'load' })
    await expect(desk.getByRole('main')).toContainText('4f1c09ab22de')
    await expectAccessible(desk)
    await office.close()

    await page.reload()
    await section.getByRole('radio', { name: text('wallet') }).check()
    await expect(history).toContainText(text('state.paid'))
    await expect(history).toContainText('4f1c09ab22de')
    await expectAccessibleEverywhere(page)
  })
}
