/** The security tab: product.md sections 2, 5 (account password change) and 8 (its messages). */
import type { Page } from '@playwright/test'
import { buy, expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'

const ru = { ...words('ru', 'userBtns'), ...words('ru', 'userPanel') }
const text = (key: string) => ru[key] ?? ''
const old = (page: Page) => page.getByLabel(text('security.old'), { exact: true })
const fresh = (page: Page) => page.getByLabel(text('security.fresh'), { exact: true })
const change = (page: Page) => page.getByRole('button', { name: text('security.change') })

async function passwordOf(page: Page, token: string): Promise<string> {
  const answer = await page.request.get(`${origin()}/api/legacy_profile`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const [profile] = (await answer.json()) as [{ residential: { password: string } }]
  return profile.residential.password
}

test('the proxy password is shown, copied, and reset only after a warning', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  const before = await passwordOf(page, token)
  await page.goto(`${origin()}/account?tab=changePass`)
  const secret = page.getByRole('group', {
    name: text('security.passwordOf').replace('{{pool}}', words('ru', 'header')['pools.residential'] ?? ''),
  })
  await expect(secret).not.toContainText(before)
  await secret.getByRole('button', { name: text('secret.show') }).click()
  await expect(secret).toContainText(before)
  await secret.getByRole('button', { name: text('copy.act') }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(before)

  const reset = page.getByRole('button', { name: text('security.reset'), exact: true })
  await reset.click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(text('security.cuts'))
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(reset).toBeFocused()
  expect(await passwordOf(page, token)).toBe(before)

  await reset.click()
  await dialog.getByRole('button', { name: text('security.resetAct') }).click()
  await expect(dialog).toBeHidden()
  await expect(secret).not.toContainText(before)
  const after = await passwordOf(page, token)
  expect(after).not.toBe(before)
  await expect(secret).toContainText(after)
})

test('the account password: a missing, a short and a wrong one, and the change', async ({ page }) => {
  const { username } = await signedIn(page)
  await page.goto(`${origin()}/account?tab=changePass`)
  await change(page).click()
  await expect(old(page)).toHaveAccessibleDescription(text('security.fillFields'))
  await expect(old(page)).toBeFocused()
  await old(page).fill('not the password')
  await change(page).click()
  await expect(fresh(page)).toHaveAccessibleDescription(text('security.fillFields'))
  await fresh(page).fill('short')
  await change(page).click()
  await expect(fresh(page)).toHaveAccessibleDescription(text('security.shortPassword'))
  await fresh(page).fill('another long password')
  await change(page).click()
  await expect(old(page)).toHaveAccessibleDescription(text('security.wrongPassword'))

  await old(page).fill('a long password')
  await page.keyboard.press('Enter')
  await expect(page.getByText(text('security.changed'))).toBeVisible()
  await expect(old(page)).toHaveValue('')
  const signIn = (password: string) =>
    page.request.post(`${origin()}/api/rpc/signin`, { data: { username, password } })
  expect((await signIn('a long password')).status()).toBe(403)
  expect((await signIn('another long password')).status()).toBe(200)
  // This session remains valid.
  await page.reload()
  await expect(change(page)).toBeVisible()
})

test('a password can be generated here, copied and used', async ({ page }) => {
  const { username } = await signedIn(page)
  await page.goto(`${origin()}/account?tab=changePass`)
  await page.getByRole('button', { name: text('security.generate') }).click()
  const made = await fresh(page).inputValue()
  expect(made).toMatch(/^(\w{5}-){3}\w{5}$/)
  await expect(page.getByRole('main')).toContainText(made)
  await old(page).fill('a long password')
  await change(page).click()
  await expect(page.getByText(text('security.changed'))).toBeVisible()
  const answer = await page.request.post(`${origin()}/api/rpc/signin`, { data: { username, password: made } })
  expect(answer.status()).toBe(200)
})
