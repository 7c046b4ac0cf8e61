/** Redirects of pages that the visitor may not open, and the data stored in the browser. */
import { expect, origin, register, signedIn, test, words } from './shop.ts'

const header = words('ru', 'header')
const purchase = words('ru', 'purchase')

test('a private page without an account redirects to the right place', async ({ page }) => {
  await page.goto(`${origin()}/account`)
  await expect(page).toHaveURL(`${origin()}/login`)
  await page.goto(`${origin()}/purchase?amount=10&pool=mobile`)
  await expect(page).toHaveURL(`${origin()}/register`)
})

test('after registration the requested page opens signed in, and going back keeps the choices', async ({
  page,
}) => {
  await page.goto(`${origin()}/purchase?amount=10&pool=mobile`)
  const named = (name: string | undefined) => page.getByLabel(name ?? '', { exact: true })
  const username = `going${Date.now()}`
  await register(page, username, { target: '/purchase?amount=10&pool=mobile' })
  const amount = named(purchase['amount'])
  await expect(amount).toHaveValue('10')
  await amount.fill('25')
  await page.getByRole('radio', { name: new RegExp(header['pools.datacenter'] ?? '') }).click()
  await page.goto(`${origin()}/rules`)
  await page.goBack()
  await expect(page).toHaveURL(`${origin()}/purchase?amount=25&pool=datacenter`)
  await expect(amount).toHaveValue('25')
})

test('an invalid token clears the user and redirects to the sign-in page', async ({ page }) => {
  await signedIn(page)
  await page.evaluate(() => {
    const user = JSON.parse(localStorage.getItem('user') ?? '{}') as Record<string, unknown>
    localStorage.setItem('user', JSON.stringify({ ...user, token: 'a'.repeat(43) }))
  })
  await page.goto(`${origin()}/account`)
  await expect(page).toHaveURL(`${origin()}/login`)
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull()
})

test('invalid storage does not break the shop', async ({ page }) => {
  await page.goto(`${origin()}/login`)
  await page.evaluate(() => {
    localStorage.setItem('user', '{"token":')
    localStorage.setItem('panel-settings', '[1,2')
  })
  await page.goto(origin())
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('referral codes are stored and removed from the address', async ({ page }) => {
  await page.goto(`${origin()}/?ref=abc123&source=summer`)
  await expect(page).toHaveURL(`${origin()}/`)
  const kept = await page.evaluate(() => [
    localStorage.getItem('referralCode'),
    localStorage.getItem('adminReferralCode'),
  ])
  expect(kept).toEqual(['abc123', 'summer'])
})
