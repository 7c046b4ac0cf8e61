/**
 * Passkeys of customers in Chromium, with a virtual authenticator (Chrome DevTools Protocol, domain
 * WebAuthn). A browser makes no passkey for an IP address, so the shop of this file is at `localhost`.
 */
import type { Page } from '@playwright/test'
import { refusals } from '#contract/refusals'
import { openDatabase } from '#db'
import { freePort } from '#test/ports'
import { type Stack, startStack } from '#test/stack'
import { newAuthenticator } from './authenticator.ts'
import { screensFrom } from './screens.ts'
import { expect, expectAccessibleEverywhere, test, words } from './shop.ts'

let shop: Stack
let site: string
let usual: string | undefined
test.beforeAll(async () => {
  const port = await freePort()
  site = `http://localhost:${port}`
  shop = await startStack({ PORT: String(port), PUBLIC_URL: site })
  usual = process.env['TEST_ORIGIN']
  process.env['TEST_ORIGIN'] = site
})
test.afterAll(async () => {
  process.env['TEST_ORIGIN'] = usual
  await shop.close()
})

const textOf = (language: 'ru' | 'en', namespace: string) => {
  const all = words(language, namespace)
  return (key: string) => all[key] ?? `no text ${key}`
}

/** Sets the last proof of the owner in all sessions to more than ten minutes ago. */
async function ageProofs(): Promise<void> {
  const database = await openDatabase({ dataDir: shop.dataDir, role: 'guest' })
  await database.pool.query(`update session set proved_at = proved_at - interval '11 minutes'`)
  await database.close()
}

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
const tab = (page: Page) => page.goto(`${site}/account?tab=changePass`)

for (const { language, width } of screensFrom({ language: 'ru', width: 1280 }))
  test.describe(`${language}, ${width} px`, () => {
    test.use({ locale: language, viewport: { width, height: 844 } })
    test.beforeEach(({ page }) => page.addInitScript((code) => localStorage.setItem('lang', code), language))
    const security = textOf(language, 'security')
    const factors = textOf(language, 'factors')
    const auth = textOf(language, 'auth')
    const header = textOf(language, 'header')

    const who = { username: `keyholder${language}${width}`, password: 'a long password' }

    /** Signs up, and signs in by the form. */
    async function arrive(page: Page): Promise<void> {
      const signup = { ...who, email: `${who.username}@example.com` }
      const made = await page.request.post(`${site}/api/rpc/signup`, {
        headers: { 'accept-language': language },
        data: signup,
      })
      expect(made.ok()).toBe(true)
      await page.goto(`${site}/login`)
      await typePassword(page)
      await expect(page).toHaveURL(/\/account/)
    }

    async function typePassword(page: Page): Promise<void> {
      await page.getByLabel(auth('login.name')).fill(who.username)
      await page.getByLabel(auth('login.password'), { exact: true }).fill(who.password)
      await page.getByRole('button', { name: auth('login.submit'), exact: true }).click()
    }

    async function leave(page: Page): Promise<void> {
      await page
        .getByRole('button', { name: header('signOut') })
        .first()
        .click()
      await expect(page.getByRole('button', { name: header('signOut') })).toHaveCount(0)
      await page.goto(`${site}/login`)
    }

    test('a passkey is added, signs in alone and as the second step, and is removed', async ({ page }) => {
      await newAuthenticator(page)
      await arrive(page)
      await tab(page)
      await row(page, security('factor.newPasskey'))
        .getByRole('button', { name: security('add') })
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(security('factor.passkeyNameLabel')).fill('My laptop')
      await expectAccessibleEverywhere(page)
      await dialog.getByRole('button', { name: security('add') }).click()
      const codes = page.getByRole('dialog', { name: security('factor.codesTitle') })
      await expect(codes.getByRole('listitem')).toHaveCount(10)
      await codes.getByRole('button', { name: security('factor.codesSaved') }).click()
      await expect(row(page, 'My laptop')).toBeVisible()

      await leave(page)
      await page.getByRole('button', { name: auth('login.passkey') }).click()
      await expect(page).toHaveURL(/\/account/)

      await leave(page)
      await typePassword(page)
      await expect(page.getByRole('heading', { name: factors('step.title') })).toBeVisible()
      await page.getByRole('button', { name: factors('usePasskey') }).click()
      await expect(page).toHaveURL(/\/account/)

      await ageProofs()
      await tab(page)
      const remove = page.getByRole('button', {
        name: security('factor.removeNamed').replace('{{name}}', 'My laptop'),
      })
      await remove.click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: factors('usePasskey') })
        .click()
      const title = security('factor.removeTitle').replace('{{name}}', 'My laptop')
      const confirm = page.getByRole('dialog', { name: title })
      await expectAccessibleEverywhere(page)
      await confirm.getByRole('button', { name: security('remove') }).click()
      await expect(remove).toHaveCount(0)

      // A removed passkey that the authenticator still has does not sign in.
      await leave(page)
      await page.getByRole('button', { name: auth('login.passkey') }).click()
      await expect(page.getByText(refusals.wrong_factor[language]).first()).toBeVisible()
      await expect(page).toHaveURL(/\/login/)
    })
  })
