/**
 * A session that has ended: the sign-in page says so, with the name, and leads back to the former page with
 * the typed text.
 */
import type { Page } from '@playwright/test'
import {
  buy,
  expect,
  expectAccessibleEverywhere,
  expectLive,
  origin,
  showPage,
  signedIn,
  test,
  words,
} from './shop.ts'

const textOf = (namespace: string) => {
  const all = words('ru', namespace)
  return (key: string) => all[key] ?? `no text ${key}`
}
const auth = textOf('auth')
const panel = textOf('userPanel')
const users = textOf('proxyUsers')
const header = textOf('header')
const password = 'a long password'

const endSession = (page: Page, token: string) =>
  page.request.post(`${origin()}/api/rpc/signout`, {
    headers: { authorization: `Bearer ${token}` },
    data: {},
  })

async function signInAgain(page: Page): Promise<void> {
  await page.getByLabel(auth('login.password'), { exact: true }).fill(password)
  await page.getByRole('button', { name: auth('login.submit'), exact: true }).click()
}

test('changing the password says that the session has ended and that nothing was changed', async ({
  page,
}) => {
  const { username, token } = await signedIn(page)
  await page.goto(`${origin()}/account?tab=changePass`)
  await page.getByLabel(panel('security.old'), { exact: true }).fill(password)
  await page.getByLabel(panel('security.fresh'), { exact: true }).fill('another long password')
  await endSession(page, token)
  await page.getByRole('button', { name: panel('security.change'), exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/login`)
  await expect(page.getByText(auth('login.ended'))).toBeVisible()
  await expect(page.getByLabel(auth('login.name'))).toHaveValue(username)
  await expect(page.getByLabel(auth('login.password'), { exact: true })).toBeFocused()
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
  expect(kept).not.toContain(password)
  await expectAccessibleEverywhere(page)
  // The old password is the one that still works.
  await signInAgain(page)
  await expect(page).toHaveURL(`${origin()}/account?tab=changePass`)
  await expect(page.getByLabel(panel('security.old'), { exact: true })).toHaveValue('')
})

test('the text typed in a dialog is restored when it is opened after signing in', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=proxyUsers`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: users('create') }).click()
  await dialog.getByLabel(users('label'), { exact: true }).fill('Парсер цен')
  await dialog.getByLabel(users('hosts'), { exact: true }).fill('example.com')
  await endSession(page, token)
  await dialog.getByRole('button', { name: users('make') }).click()
  await expect(page.getByText(auth('login.endedTyped'))).toBeVisible()
  await signInAgain(page)
  await expect(page).toHaveURL(`${origin()}/account?tab=proxyUsers`)
  await page.getByRole('button', { name: users('create') }).click()
  await expect(dialog.getByLabel(users('label'), { exact: true })).toHaveValue('Парсер цен')
  await expect(dialog.getByLabel(users('hosts'), { exact: true })).toHaveValue('example.com')
  await dialog.getByRole('button', { name: users('make') }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Парсер цен').first()).toBeVisible()
})

test('another tab that signs out leads to the page of signing in, and back with what was typed', async ({
  page,
  context,
}) => {
  const { username, token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=proxyUsers`)
  await page.getByRole('button', { name: users('create') }).click()
  await page.getByRole('dialog').getByLabel(users('label'), { exact: true }).fill('Анна')
  const other = await context.newPage()
  await other.goto(`${origin()}/account`)
  await other.getByRole('button', { name: header('signOut'), exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/login`)
  await expect(page.getByText(auth('login.ended'))).toBeVisible()
  await expect(page.getByLabel(auth('login.name'))).toHaveValue(username)
  // A sign-out shows no notice of an ended session.
  await other.goto(`${origin()}/login`)
  await expect(other.getByText(auth('login.ended'))).toHaveCount(0)
  await other.close()
  await signInAgain(page)
  await page.getByRole('button', { name: users('create') }).click()
  await expect(page.getByRole('dialog').getByLabel(users('label'), { exact: true })).toHaveValue('Анна')
})

test('a tab shows nothing of the former customer to the next one, who has signed in in another tab', async ({
  page,
  context,
}) => {
  const next = await signedIn(page)
  await signedIn(page)
  const secret = page.getByRole('group', { name: textOf('security')('reseller.token') })
  const show = secret.getByRole('button', { name: textOf('userBtns')('secret.show') })
  await page.goto(`${origin()}/account?tab=resell`)
  await show.click()
  await expect(secret).toContainText('tpr_')
  const former = /tpr_\w+/.exec(await secret.innerText())?.[0] ?? ''
  const other = await context.newPage()
  await other.goto(`${origin()}/account`)
  await other.getByRole('button', { name: header('signOut'), exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/login`)
  await other.goto(`${origin()}/login`)
  await other.getByLabel(auth('login.name')).fill(next.username)
  await signInAgain(other)
  await expect(page).toHaveURL(`${origin()}/account`)
  await expect(page.getByText(next.username).first()).toBeVisible()
  await expectLive(page)
  // Without loading a document, which would have no data of the former customer in any case.
  await showPage(page, '/account?tab=resell', textOf('userBtns')('title.resell'))
  await show.click()
  await expect(secret).toContainText('tpr_')
  await expect(secret).not.toContainText(former)
  await other.close()
})
