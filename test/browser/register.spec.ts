/** Signing up and in: product.md sections 2, 4 (codes, redirects), 5 (both forms) and 8 (their messages). */
import type { Page } from '@playwright/test'
import { agree, expect, expectAccessible, filled, origin, signedIn, test, words } from './shop.ts'

const auth = words('ru', 'auth')
const text = (key: string, values: Record<string, string> = {}) =>
  filled(auth[key] ?? `no text ${key}`, values)
const field = (page: Page, key: string) => page.getByLabel(text(key), { exact: true })
const submit = (page: Page, key: string) => page.getByRole('button', { name: text(key), exact: true }).click()
const notice = (page: Page, words: string) =>
  expect(
    page.getByRole('region', { name: 'Уведомления' }).getByText(words, { exact: true }).first(),
  ).toBeVisible()

let people = 0
const fresh = () => `person${Date.now()}${++people}`

async function fill(page: Page, form: Record<'username' | 'email' | 'password' | 'repeat', string>) {
  for (const [key, value] of Object.entries(form)) await field(page, `register.${key}`).fill(value)
}

/** Each visitor of this file from a separate address, since sign-ups per address are limited. */
test.beforeEach(({ page }) => page.setExtraHTTPHeaders({ 'x-forwarded-for': `198.51.99.${++people}` }))

test('signing in requires both fields, accepts a username or an e-mail, and can show the password', async ({
  page,
}) => {
  const username = fresh()
  await page.request.post(`${origin()}/api/rpc/signup`, {
    data: { username, email: `${username}@example.com`, password: 'a long password' },
  })
  await page.goto(`${origin()}/login`)
  await expect(field(page, 'login.name')).toBeFocused()
  await field(page, 'login.name').fill('   ')
  await submit(page, 'login.submit')
  await notice(page, text('errors.fillFields'))
  for (const key of ['login.name', 'login.password'])
    await expect(field(page, key)).toHaveAccessibleDescription(text('errors.fillField'))

  await field(page, 'login.name').fill(username)
  await field(page, 'login.password').fill('not the password')
  const refusing = page.waitForResponse((response) => response.url().endsWith('/rpc/signin'))
  await submit(page, 'login.submit')
  const { message } = (await (await refusing).json()) as { message: string }
  await notice(page, message)
  await expect(page.getByRole('main').getByText(message)).toBeVisible()

  const password = field(page, 'login.password')
  await expect(password).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: text('showPassword') }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: text('hidePassword') }).click()
  await field(page, 'login.name').fill(` ${username}@example.com `)
  await password.fill('a long password')
  await password.press('Enter')
  await expect(page).toHaveURL(`${origin()}/account`)
  await expect(page.getByRole('banner').getByRole('link', { name: username }).first()).toBeVisible()
})

test('registering shows the error of each field', async ({ page }) => {
  await page.goto(`${origin()}/register`)
  await expect(field(page, 'register.username')).toBeFocused()
  await submit(page, 'register.submit')
  await notice(page, text('errors.fillFields'))
  const good = {
    username: fresh(),
    email: 'someone@example.com',
    password: 'a long password',
    repeat: 'a long password',
  }
  for (const [wrong, key, fault] of [
    [{ email: 'some one@example.com' }, 'email', 'invalidEmail'],
    [{ email: 'someone.example.com' }, 'email', 'invalidEmail'],
    [{ repeat: 'another password' }, 'repeat', 'passwordsDiffer'],
    [{ password: ' sixsix ', repeat: ' sixsix ' }, 'password', 'shortPassword'],
    [{ username: ' sixsix ' }, 'username', 'shortUsername'],
  ] as const) {
    await fill(page, { ...good, ...wrong })
    await submit(page, 'register.submit')
    await expect(field(page, `register.${key}`)).toHaveAccessibleDescription(
      new RegExp(text(`errors.${fault}`)),
    )
    await expect(page.getByText(text(`errors.${fault}`))).toHaveCount(1)
  }
  await expect(page).toHaveURL(`${origin()}/register`)
})

test('a taken name is refused with the server’s sentence, at its field', async ({ page }) => {
  const username = fresh()
  const data = { username, email: `${username}@example.com`, password: 'a long password' }
  await page.request.post(`${origin()}/api/rpc/signup`, { data })
  await page.goto(`${origin()}/register`)
  await fill(page, {
    username,
    email: `other${username}@example.com`,
    password: data.password,
    repeat: data.password,
  })
  await agree(page)
  const refusing = page.waitForResponse((response) => response.url().endsWith('/rpc/signup'))
  await submit(page, 'register.submit')
  const { message } = (await (await refusing).json()) as { message: string }
  await notice(page, message)
  await expect(page.getByText(message)).toHaveCount(1)
  await expect(field(page, 'register.username')).toBeFocused()
  // The notification disappears, and the reason stays at the field.
  await expect(field(page, 'register.username')).toHaveAccessibleDescription(message)
  await expect(page.getByText(message)).toHaveCount(1)
})

test('registering needs both agreements, each apart, and sends what was shown', async ({ page }) => {
  const legal = words('ru', 'legal')
  await page.goto(`${origin()}/register`)
  const terms = page.getByRole('checkbox', { name: legal['agree.terms'] ?? '' })
  const personal = page.getByRole('checkbox', { name: legal['agree.personal_data'] ?? '' })
  await expect(terms).not.toBeChecked()
  await expect(personal).not.toBeChecked()
  const username = fresh()
  const password = 'a long password'
  await fill(page, { username, email: `${username}@example.com`, password, repeat: password })
  await submit(page, 'register.submit')
  await notice(page, legal['agree.missing.terms'] ?? '')
  await expect(terms).toHaveAccessibleDescription(new RegExp(legal['agree.missing.terms'] ?? ''))
  await expectAccessible(page)
  await terms.check()
  await submit(page, 'register.submit')
  await notice(page, legal['agree.missing.personal_data'] ?? '')
  await expect(page).toHaveURL(`${origin()}/register`)
  await expect(page.getByRole('link', { name: 'Публичная оферта' }).first()).toHaveAttribute('href', '/terms')

  await personal.check()
  // The documents have changed since they were shown.
  await page.route('**/rpc/signup', async (route) => {
    const data = route.request().postDataJSON() as { consents: object[] }
    await route.continue({ postData: { ...data, consents: data.consents.slice(1) } })
  })
  await submit(page, 'register.submit')
  await expect(terms).not.toBeChecked()
  await page.unroute('**/rpc/signup')
  await agree(page)
  const asking = page.waitForRequest((request) => request.url().endsWith('/rpc/signup'))
  await submit(page, 'register.submit')
  const { consents } = (await asking).postDataJSON() as { consents: { document: string }[] }
  expect(consents.map(({ document }) => document)).toEqual(['terms', 'rules', 'personal_data'])
  await expect(page).toHaveURL(`${origin()}/account`)
})

test('the codes of a link are shown, sent with the sign-up, and then removed', async ({ page }) => {
  const inviter = await signedIn(page)
  const answer = await page.request.get(`${origin()}/api/legacy_referal_info`, {
    headers: { authorization: `Bearer ${inviter.token}` },
  })
  const [info] = (await answer.json()) as [{ links: { website: string } }]
  const code = new URL(info.links.website).searchParams.get('ref') ?? ''
  await page.evaluate(() => localStorage.clear())

  const kept = () =>
    page.evaluate(() => [localStorage.getItem('referralCode'), localStorage.getItem('adminReferralCode')])
  await page.goto(`${origin()}/rules?referry=${code}&source=autumn&keep=1`)
  await expect(page).toHaveURL(`${origin()}/rules?keep=1`)
  expect(await kept()).toEqual([code, 'autumn'])
  await page.goto(`${origin()}/register`)
  await expect(page.getByText(text('register.referral', { code }))).toBeVisible()
  const username = fresh()
  await fill(page, {
    username,
    email: `${username}@example.com`,
    password: 'a long password',
    repeat: 'a long password',
  })
  await agree(page)
  const asking = page.waitForRequest((request) => request.url().endsWith('/rpc/signup'))
  await submit(page, 'register.submit')
  expect((await asking).postDataJSON()).toMatchObject({ referral_id: code, admin_referral_code: 'autumn' })
  await expect(page).toHaveURL(`${origin()}/account`)
  await expect(page.getByText(text('register.done'))).toBeVisible()
  expect(await kept()).toEqual([null, null])
  const after = await page.request.get(`${origin()}/api/legacy_referal_info`, {
    headers: { authorization: `Bearer ${inviter.token}` },
  })
  expect(((await after.json()) as { ref_num: number }[])[0]?.ref_num).toBe(1)
})

test('signed-in users are redirected from the sign-in pages, and back after signing out', async ({
  page,
}) => {
  await signedIn(page)
  for (const [path, target] of [
    ['/login', '/account'],
    ['/telegram-login', '/account'],
    ['/register', '/'],
  ] as const) {
    await page.goto(origin() + path)
    await expect(page).toHaveURL(origin() + target)
  }
  await page
    .getByRole('banner')
    .getByRole('button', { name: words('ru', 'header')['signOut'] ?? '' })
    .first()
    .click()
  await expect(
    page
      .getByRole('banner')
      .getByRole('link', { name: text('login.submit'), exact: true })
      .first(),
  ).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull()
})
