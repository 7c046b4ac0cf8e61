/** Second factors of customers and sessions in Chromium. */
import type { Page } from '@playwright/test'
import { generate } from 'otplib'
import { openDatabase } from '#db'
import { screensFrom } from './screens.ts'
import { expect, expectAccessibleEverywhere, origin, signedIn, test, words } from './shop.ts'

const textOf = (language: 'ru' | 'en', namespace: string) => {
  const all = words(language, namespace)
  return (key: string) => all[key] ?? `no text ${key}`
}

/** Sets the last proof of the owner in all sessions to more than ten minutes ago. */
async function ageProofs(): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  await database.pool.query(`update session set proved_at = proved_at - interval '11 minutes'`)
  await database.close()
}

const tab = (page: Page) => page.goto(`${origin()}/account?tab=changePass`)
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

/** Forgets the session, as a browser does that was never signed in. */
async function leave(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.removeItem('user'))
  await page.goto(`${origin()}/login`)
}

for (const { language, width } of screensFrom({ language: 'en', width: 390 }))
  test.describe(`${language}, ${width} px`, () => {
    test.use({ locale: language, viewport: { width, height: 844 } })
    test.beforeEach(({ page }) => page.addInitScript((code) => localStorage.setItem('lang', code), language))
    const security = textOf(language, 'security')
    const factors = textOf(language, 'factors')
    const auth = textOf(language, 'auth')

    async function typePassword(page: Page, who: { username: string; password: string }): Promise<void> {
      await page.getByLabel(auth('login.name')).fill(who.username)
      await page.getByLabel(auth('login.password'), { exact: true }).fill(who.password)
      await page.getByRole('button', { name: auth('login.submit'), exact: true }).click()
    }

    test('an authenticator app is set up, asked for at the sign-in, and a recovery code stands in for it', async ({
      page,
    }) => {
      const who = { ...(await signedIn(page, language)), password: 'a long password' }
      await tab(page)
      await row(page, security('factor.totp'))
        .getByRole('button', { name: security('factor.setUp') })
        .click()
      const dialog = page.getByRole('dialog')
      await expect(dialog.getByRole('img', { name: factors('qr') })).toBeVisible()
      await expectAccessibleEverywhere(page)
      const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
      await dialog.getByLabel(factors('firstCode')).fill('000000')
      await dialog.getByRole('button', { name: security('factor.turnOn') }).click()
      await expect(dialog.getByRole('alert')).toBeVisible()
      await dialog.getByLabel(factors('firstCode')).fill(await generate({ secret }))
      await dialog.getByRole('button', { name: security('factor.turnOn') }).click()
      const codes = page.getByRole('dialog', { name: security('factor.codesTitle') })
      await expect(codes.getByRole('listitem')).toHaveCount(10)
      const [spare = ''] = await codes.getByRole('listitem').allInnerTexts()
      await expectAccessibleEverywhere(page)
      await codes.getByRole('button', { name: security('factor.codesSaved') }).click()
      await expect(row(page, security('factor.codes'))).toBeVisible()
      await expectAccessibleEverywhere(page)

      await leave(page)
      await typePassword(page, who)
      await expect(page.getByRole('heading', { name: factors('step.title') })).toBeVisible()
      await expectAccessibleEverywhere(page)
      await page.getByLabel(factors('totp')).fill('000000')
      await page.getByRole('button', { name: factors('step.submit'), exact: true }).click()
      await expect(page.getByRole('alert')).toBeVisible()
      await page.getByRole('button', { name: factors('withRecovery') }).click()
      await page.getByLabel(factors('recovery')).fill(spare)
      await page.getByRole('button', { name: factors('step.submit'), exact: true }).click()
      await expect(page).toHaveURL(/\/account/)

      // To remove it needs a fresh proof: the dialog of the act opens once the factor was proved.
      await ageProofs()
      await tab(page)
      await row(page, security('factor.totp'))
        .getByRole('button', { name: security('remove') })
        .click()
      const proof = page.getByRole('dialog', { name: security('proof.title') })
      await expect(proof.getByLabel(factors('totp'))).toBeFocused()
      await expectAccessibleEverywhere(page)
      await page.keyboard.press('Escape')
      await expect(proof).toBeHidden()
      await expect(row(page, security('factor.codes'))).toContainText('9')
    })
  })

test('another session is seen and ended, and another e-mail address waits for its confirmation', async ({
  page,
  request,
}) => {
  const security = textOf('ru', 'security')
  const { username } = await signedIn(page)
  await request.post(`${origin()}/api/rpc/signin`, {
    headers: { 'user-agent': 'curl/8.14.1' },
    data: { username, password: 'a long password' },
  })
  await tab(page)
  await row(page, 'curl')
    .getByRole('button', { name: security('sessions.end') })
    .click()
  await expect(row(page, 'curl')).toHaveCount(0)
  await page.getByLabel(security('email.fresh')).fill('not an address')
  await page.getByRole('button', { name: security('email.change') }).click()
  await expect(page.getByLabel(security('email.fresh'))).toHaveAccessibleDescription(
    security('email.invalid'),
  )
  await page.getByLabel(security('email.fresh')).fill(`new.${username}@example.com`)
  await page.getByRole('button', { name: security('email.change') }).click()
  const waiting = row(page, `new.${username}@example.com`)
  await expect(waiting).toBeVisible()
  await expectAccessibleEverywhere(page)
  await waiting.getByRole('button', { name: security('cancel') }).click()
  await expect(waiting).toHaveCount(0)
})
