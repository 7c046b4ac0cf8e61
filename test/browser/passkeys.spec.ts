/**
 * Passkeys of the desk in Chromium, with a virtual authenticator (Chrome DevTools Protocol, domain WebAuthn).
 */
import type { Page } from '@playwright/test'
import { newAuthenticator } from './authenticator.ts'
import { openDatabase } from '#db'
import { deskOrigin, expect, expectAccessible, test, words } from './shop.ts'
import { join } from './staff.ts'

test.use({ locale: 'en-US' })

const t = words('en', 'desk')
const pages = words('en', 'deskPages')
const text = (key: string) => t[key] ?? `no text ${key}`
const pageText = (key: string) => pages[key] ?? `no text ${key}`

/** Sets the last second factor of all staff sessions to more than ten minutes ago. */
async function ageFactors(): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  await database.pool.query(`update staff_session set factor_at = factor_at - interval '11 minutes'`)
  await database.close()
}

const passkeyRow = (page: Page) =>
  page
    .getByRole('listitem')
    .filter({ hasText: text('passkey.firstName') })
    .filter({ hasText: pageText('me.added') })
const remove = (page: Page) => passkeyRow(page).getByRole('button', { name: pageText('me.remove') })

test('a passkey is registered, signs in, proves a fresh factor, and is removed', async ({ page }) => {
  const owner = await join(page, 'keyowner', 'owner', 'en')
  await page.getByRole('button', { name: text('recovery.done') }).click()
  const { cdp, authenticatorId } = await newAuthenticator(page)
  const keys = async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials

  await page.goto(`${deskOrigin()}/me`)
  const another = page.getByRole('listitem').filter({ hasText: pageText('me.newPasskey') })
  await another.getByRole('button', { name: pageText('customer.add') }).click()
  // The new recovery codes are shown, once.
  const codes = page.getByRole('dialog', { name: text('recovery.title') })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  expect(
    (await codes.getByRole('listitem').allInnerTexts()).some((code) => owner.recoveryCodes.includes(code)),
  ).toBe(false)
  await codes.getByRole('button', { name: text('close') }).click()
  await expect(passkeyRow(page)).toHaveCount(1)
  expect(await keys()).toMatchObject([{ rpId: new URL(deskOrigin()).hostname }])
  await expectAccessible(page)

  await page.getByRole('button', { name: text('signOut') }).click()
  const signIn = async () => {
    await page.getByLabel(text('signIn.name')).fill(owner.name)
    await page.getByLabel(text('signIn.password'), { exact: true }).fill(owner.password)
    await page.getByRole('button', { name: text('signIn.submit') }).click()
  }
  await signIn()
  await page.getByRole('button', { name: text('factor.with.passkey') }).click()
  // The authenticator does not recognise its owner.
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await page.getByRole('button', { name: text('factor.usePasskey') }).click()
  await expect(page.getByRole('alert')).toContainText(text('passkey.declined'))
  await expectAccessible(page)
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  const [before] = await keys()
  await page.getByRole('button', { name: text('factor.usePasskey') }).click()
  await expect(page.getByRole('button', { name: text('signOut') })).toBeVisible()
  expect((await keys())[0]?.signCount).toBeGreaterThan(before?.signCount ?? Infinity)

  // Removing a factor requires a fresh proof: the act continues by itself once the passkey has given it.
  await page.goto(`${deskOrigin()}/me`)
  await ageFactors()
  await remove(page).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(text('stepUp.text'))).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: text('factor.with.passkey') }).click()
  await dialog.getByRole('button', { name: text('factor.usePasskey') }).click()
  await expect(passkeyRow(page)).toHaveCount(0)
  await expect(dialog).toHaveCount(0)

  // A removed passkey that the authenticator still has does not sign in.
  await page.getByRole('button', { name: text('signOut') }).click()
  await signIn()
  await expect(page.getByLabel(text('factor.totp'))).toBeVisible()
  await expect(page.getByRole('button', { name: text('factor.with.passkey') })).toHaveCount(0)
  expect(await keys()).toHaveLength(1)
})
