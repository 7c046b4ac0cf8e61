/** Errors are shown in place: in the dialog, at the field, at the form; a failed read can be repeated. */
import type { Page } from '@playwright/test'
import { agree, buy, expect, expectAccessible, filled, origin, signedIn, test, words } from './shop.ts'

const textOf = (namespace: string) => {
  const all = words('ru', namespace)
  return (key: string, values: Record<string, string> = {}) => filled(all[key] ?? `no text ${key}`, values)
}
const auth = textOf('auth')
const generator = textOf('generator')
const users = textOf('proxyUsers')
const userBtns = textOf('userBtns')

async function openUsers(page: Page): Promise<void> {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=proxyUsers`)
  await page.getByRole('button', { name: users('create') }).click()
}

test('a site that is no host is refused at its field, with the focus, in the dialog', async ({ page }) => {
  await openUsers(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(users('label'), { exact: true }).fill('Анна')
  const hosts = dialog.getByLabel(users('hosts'), { exact: true })
  await hosts.fill('https://example.com/path')
  await dialog.getByRole('button', { name: users('make') }).click()
  await expect(hosts).toHaveAccessibleDescription(/https:\/\/example\.com\/path/)
  await expect(hosts).toBeFocused()
  await expectAccessible(page)
  await hosts.fill('example.com')
  await expect(hosts).not.toHaveAttribute('aria-invalid', 'true')
  await dialog.getByRole('button', { name: users('make') }).click()
  await expect(dialog).toBeHidden()
})

test('a failure without a field is shown in the dialog', async ({ page }) => {
  await openUsers(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(users('label'), { exact: true }).fill('Анна')
  await page.route('**/rpc/create_proxy_user', (route) => route.abort())
  await dialog.getByRole('button', { name: users('make') }).click()
  await expect(dialog.getByRole('alert')).toBeInViewport()
  await expectAccessible(page)
  await dialog.getByLabel(users('label'), { exact: true }).fill('Анна Б.')
  await expect(dialog.getByRole('alert')).toHaveCount(0)
})

test('a wrong password is reported at the sign-in form until the form is sent again', async ({ page }) => {
  await page.goto(`${origin()}/login`)
  await page.getByLabel(auth('login.name')).fill('nobody.at.all')
  await page.getByLabel(auth('login.password'), { exact: true }).fill('a wrong password')
  await page.getByRole('button', { name: auth('login.submit'), exact: true }).click()
  const alert = page.locator('form').getByRole('alert')
  await expect(alert).toBeVisible()
  const notice = page
    .getByRole('region', { name: textOf('header')('notifications.region') })
    .getByRole('listitem')
  await expect(notice).toHaveCount(1)
  await expect(notice).toHaveCount(0, { timeout: 10_000 })
  await expect(alert).toBeVisible()
  await expectAccessible(page)
})

test('a taken name is reported at its field at once, with the focus', async ({ page }) => {
  const { username } = await signedIn(page)
  await page.evaluate(() => localStorage.removeItem('user'))
  await page.goto(`${origin()}/register`)
  const named = (key: string) => page.getByLabel(auth(key), { exact: true })
  await named('register.username').fill(username)
  await named('register.email').fill('another@example.com')
  await named('register.password').fill('a long password')
  await named('register.repeat').fill('a long password')
  await agree(page)
  await page.getByRole('button', { name: auth('register.submit') }).click()
  await expect(named('register.username')).toHaveAttribute('aria-invalid', 'true')
  await expect(named('register.username')).toBeFocused()
})

test('presets that could not be read are not shown as an empty list, and one saved meanwhile appears', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  let answers = false
  await page.route('**/rpc/get_presets', (route) => (answers ? route.continue() : route.abort()))
  await page.goto(`${origin()}/account?tab=panel`)
  const unread = page.getByText(userBtns('unread.short'))
  await expect(unread).toBeVisible()
  await expect(page.getByText(generator('none'))).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: generator('saveAs') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(generator('name'), { exact: true }).fill('Ночной обход')
  answers = true
  await dialog.getByRole('button', { name: generator('save'), exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(unread).toBeHidden()
  await expect(page.getByRole('combobox', { name: generator('preset'), exact: true })).toContainText(
    'Ночной обход',
  )
})

test('cards that could not be read stay, and are read on request', async ({ page }) => {
  await signedIn(page)
  const calls = ['get_top_ups', 'get_notices', 'get_host_privacy', 'get_bill']
  let answers = false
  for (const call of calls)
    await page.route(`**/rpc/${call}`, (route) => (answers ? route.continue() : route.abort()))
  for (const [tab, what] of [
    ['topup', userBtns('topUp.title')],
    ['notices', userBtns('notices.title')],
  ] as const) {
    await page.goto(`${origin()}/account?tab=${tab}`)
    await expect(page.getByText(userBtns('unread.text', { what }))).toBeVisible()
  }
  await expectAccessible(page)
  answers = true
  const retry = page.getByRole('button', {
    name: userBtns('unread.retryOf', { what: userBtns('notices.title') }),
  })
  await retry.click()
  await expect(page.getByText(userBtns('notices.kind.traffic'))).toBeVisible()
})
