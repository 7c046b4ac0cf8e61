/** Every page as it stands: no axe violation in either theme at either width, no console error, nobody else asked. */
import { buy, expect, expectAccessible, origin, signedIn, test } from './shop.ts'

const widths = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]
const schemes = ['light', 'dark'] as const
const open = ['/', '/login', '/register', '/nowhere']
const account = [
  '/account',
  '/account?tab=panel',
  '/account?tab=statistic',
  '/purchase?amount=100&pool=residential',
]

for (const viewport of widths) {
  for (const colorScheme of schemes) {
    test.describe(`${viewport.width} px, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme })

      for (const path of open) {
        test(`${path} is accessible`, async ({ page }) => {
          await page.goto(`${origin()}${path}`)
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
          await expectAccessible(page)
        })
      }

      test('the account is accessible', async ({ page }) => {
        const { token } = await signedIn(page)
        await buy(page, token, { pool: 'residential', amount: 1 })
        for (const path of account) {
          await page.goto(`${origin()}${path}`)
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
          await page.waitForLoadState('networkidle')
          await expectAccessible(page)
        }
      })
    })
  }
}

test('a page without an account behind it leads to the right place', async ({ page }) => {
  await page.goto(`${origin()}/account`)
  await expect(page).toHaveURL(`${origin()}/login`)
  await page.goto(`${origin()}/purchase?amount=10&pool=mobile`)
  await expect(page).toHaveURL(`${origin()}/register`)
})

test('a token that is no longer good clears the user and leads to the sign-in page', async ({ page }) => {
  await signedIn(page)
  await page.evaluate(() => {
    const user = JSON.parse(localStorage.getItem('user') ?? '{}') as Record<string, unknown>
    localStorage.setItem('user', JSON.stringify({ ...user, token: 'a'.repeat(43) }))
  })
  await page.goto(`${origin()}/account`)
  await expect(page).toHaveURL(`${origin()}/login`)
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull()
})

test('broken storage does not break the shop', async ({ page }) => {
  await page.goto(`${origin()}/login`)
  await page.evaluate(() => {
    localStorage.setItem('user', '{"token":')
    localStorage.setItem('panel-settings', '[1,2')
  })
  await page.goto(origin())
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('referral codes are kept and taken out of the address', async ({ page }) => {
  await page.goto(`${origin()}/?ref=abc123&source=summer`)
  await expect(page).toHaveURL(`${origin()}/`)
  const kept = await page.evaluate(() => [
    localStorage.getItem('referralCode'),
    localStorage.getItem('adminReferralCode'),
  ])
  expect(kept).toEqual(['abc123', 'summer'])
})
