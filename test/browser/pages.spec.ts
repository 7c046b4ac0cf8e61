/** Redirects of pages that the visitor may not open, and the data stored in the browser. */
import { expect, origin, signedIn, test } from './shop.ts'

test('a private page without an account redirects to the right place', async ({ page }) => {
  await page.goto(`${origin()}/account`)
  await expect(page).toHaveURL(`${origin()}/login`)
  await page.goto(`${origin()}/purchase?amount=10&pool=mobile`)
  await expect(page).toHaveURL(`${origin()}/register`)
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
