/**
 * The connections between the site and the bot: a linked account, one created by the bot, its invitations.
 */
import { expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'
import { botUser } from './telegram.ts'

const auth = words('ru', 'auth')
const panel = words('ru', 'userPanel')
const account = words('ru', 'userBtns')
const text = (of: Record<string, string>, key: string) => of[key] ?? `no text ${key}`

test('an account of the site is linked to Telegram from the profile', async ({ page }) => {
  const { username } = await signedIn(page)
  await page.goto(`${origin()}/account?tab=profile`)
  const profile = page.getByRole('region', { name: text(account, 'profile') })
  const connect = profile.getByRole('link', { name: text(account, 'telegramConnect') })
  await expect(connect).toHaveAttribute('target', '_blank')
  const address = new URL((await connect.getAttribute('href')) ?? '')
  expect(address.origin + address.pathname).toBe('https://t.me/turnpike_test_bot')
  const person = botUser()
  expect(await person.say(`/start ${address.searchParams.get('start')}`)).toContain(username)
  expect(await person.press('Привязать')).toContain(username)
  await expect(profile).toContainText(text(account, 'telegramConnected'), { timeout: 15_000 })
  await expect(connect).toHaveCount(0)
})

test('an account created by the bot signs in by its code, is shown by its number, and sets its first password', async ({
  page,
}) => {
  const person = botUser()
  await person.say('/start')
  const code = /\b\d{6}\b/.exec(await person.say('/code'))?.[0] ?? ''
  await page.goto(`${origin()}/telegram-login`)
  await page.getByLabel(text(auth, 'telegram.code')).fill(code)
  await page.getByRole('button', { name: 'Войти', exact: true }).click()
  await expect(page.getByText('Успешная авторизация')).toBeVisible()
  await expect(page).toHaveURL(`${origin()}/account`)
  const { user_id, username, email } = await page.evaluate(
    () =>
      JSON.parse(localStorage.getItem('user') ?? '{}') as { user_id: number; username: null; email: null },
  )
  expect([username, email]).toEqual([null, null])
  await expect(
    page
      .getByRole('banner')
      .getByRole('link', { name: String(user_id) })
      .first(),
  ).toBeVisible()
  await expect(page.getByRole('region', { name: text(account, 'profile') })).toContainText(String(user_id))

  await page.goto(`${origin()}/account?tab=changePass`)
  const old = page.getByLabel(text(panel, 'security.old'), { exact: true })
  await expect(old).toBeDisabled()
  await expect(old).toHaveAccessibleDescription(text(panel, 'security.noPassword'))
  await expectAccessible(page)
  await page.getByRole('button', { name: text(panel, 'security.change') }).click()
  const fresh = page.getByLabel(text(panel, 'security.fresh'), { exact: true })
  await expect(fresh).toHaveAccessibleDescription(text(panel, 'security.fillFields'))
  await fresh.fill('the very first password')
  await page.getByRole('button', { name: text(panel, 'security.change') }).click()
  await expect(page.getByText(text(panel, 'security.changed'))).toBeVisible()
  await expect(old).toBeEnabled()
})

test('too many codes are refused for a time', async ({ page }) => {
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '198.51.100.200' })
  await page.goto(`${origin()}/telegram-login`)
  const field = page.getByLabel(text(auth, 'telegram.code'))
  for (let attempt = 0; attempt < 5; attempt++) {
    await field.fill(`00000${attempt}`)
    const answer = page.waitForResponse((response) => response.url().includes('telegram_code_signin'))
    await page.getByRole('button', { name: 'Войти', exact: true }).click()
    expect((await answer).status()).toBe(404)
  }
  await field.fill('000009')
  await page.getByRole('button', { name: 'Войти', exact: true }).click()
  await expect(page.getByRole('main').getByText('Слишком много попыток. Попробуйте позже')).toBeVisible()
})
