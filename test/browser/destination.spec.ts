/**
 * After signing in the customer arrives at the requested page: with a password, a second factor, the bot's
 * code, and from the home page.
 */
import type { Page } from '@playwright/test'
import { methodTitle } from '#contract/invoices'
import { generate } from 'otplib'
import { buy, expect, origin, register, signedIn, test, words } from './shop.ts'
import { botUser } from './telegram.ts'

const textOf = (namespace: string) => {
  const all = words('ru', namespace)
  return (key: string) => all[key] ?? `no text ${key}`
}
const auth = textOf('auth')
const factors = textOf('factors')
const home = textOf('home')
const purchase = textOf('purchase')
const password = 'a long password'

/** Forgets the session, as a browser does that was never signed in. */
const leave = (page: Page) => page.evaluate(() => localStorage.removeItem('user'))

async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel(auth('login.name')).fill(username)
  await page.getByLabel(auth('login.password'), { exact: true }).fill(password)
  await page.getByRole('button', { name: auth('login.submit'), exact: true }).click()
}

/** Opens a page of the account without a session. */
async function refusedAt(page: Page, path: string): Promise<void> {
  await page.goto(origin() + path)
  await expect(page).toHaveURL(`${origin()}/login`)
}

test('a tab of the account is reached by a password, and by a password with a second factor', async ({
  page,
}) => {
  const { username, token } = await signedIn(page)
  await leave(page)
  await refusedAt(page, '/account?tab=statistic&pool=mobile')
  await signIn(page, username)
  await expect(page).toHaveURL(`${origin()}/account?tab=statistic&pool=mobile`)

  const headers = { authorization: `Bearer ${token}` }
  const rpc = (name: string, data: object) =>
    page.request.post(`${origin()}/api/rpc/${name}`, { headers, data })
  const { secret } = (await (await rpc('totp_begin', {})).json()) as { secret: string }
  // Each code is taken once: the next one is that of the half minute after.
  const codeAt = (aheadMs: number) => generate({ secret, epoch: Math.floor((Date.now() + aheadMs) / 1000) })
  expect((await rpc('totp_finish', { code: await codeAt(0) })).ok()).toBe(true)
  await leave(page)
  await refusedAt(page, '/account?tab=whitelist')
  await signIn(page, username)
  await page.getByLabel(factors('totp')).fill(await codeAt(30_000))
  await page.getByRole('button', { name: factors('step.submit'), exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/account?tab=whitelist`)
})

test('a tab of the account is reached by the code of the bot', async ({ page }) => {
  const person = botUser()
  await person.say('/start')
  await refusedAt(page, '/account?tab=invoices')
  await page.getByRole('link', { name: auth('login.telegram') }).click()
  await page.getByLabel(auth('telegram.code')).fill(/\b\d{6}\b/.exec(await person.say('/code'))?.[0] ?? '')
  await page.getByRole('button', { name: auth('telegram.submit'), exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/account?tab=invoices`)
})

test('the line of the home page keeps its country and its session through the sign-up', async ({ page }) => {
  await page.goto(origin())
  const builder = page.getByRole('region', { name: home('builder.heading') })
  await builder.getByRole('combobox').selectOption('de')
  await builder.getByRole('radio', { name: home('builder.rotating') }).check({ force: true })
  await builder.getByRole('link', { name: home('builder.own') }).click()
  const username = `builder${Date.now()}`
  await register(page, username, { target: '/account?tab=panel&countries=de&session=rotating' })
  const panel = textOf('userPanel')
  const summary = page.getByRole('region', { name: panel('summary.title') })
  await expect(summary.getByText('Германия', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('radio', { name: panel('connection.rotating'), exact: true })).toBeChecked()
})

test('a session that ends leads back to its user alone', async ({ page }) => {
  const other = await signedIn(page)
  const { username, token } = await signedIn(page)
  const endAt = async (path: string, ended: string) => {
    await page.goto(origin() + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const headers = { authorization: `Bearer ${ended}` }
    expect((await page.request.post(`${origin()}/api/rpc/signout`, { headers, data: {} })).ok()).toBe(true)
    await expect(page).toHaveURL(`${origin()}/login`)
  }
  await endAt('/account?tab=whitelist', token)
  await signIn(page, username)
  await expect(page).toHaveURL(`${origin()}/account?tab=whitelist`)
  const next = await page.evaluate(
    () => (JSON.parse(localStorage.getItem('user') ?? '{}') as { token: string }).token,
  )
  await endAt('/account?tab=whitelist', next)
  await signIn(page, other.username)
  await expect(page).toHaveURL(`${origin()}/account`)
})

test('a session that ends in another tab keeps the order', async ({ page, context }) => {
  const { username } = await signedIn(page)
  await page.goto(`${origin()}/purchase?amount=300&pool=mobile`)
  const beside = await context.newPage()
  await beside.goto(`${origin()}/rules`)
  await leave(beside)
  await beside.close()
  await expect(page).toHaveURL(`${origin()}/login`)
  await signIn(page, username)
  await expect(page).toHaveURL(`${origin()}/purchase?amount=300&pool=mobile`)
})

test('method and promo code are in the address, and going back keeps them', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'mobile', amount: 1 })
  await page.goto(`${origin()}/purchase?amount=5&pool=mobile`)
  const method = page.getByRole('radio', { name: methodTitle('sandbox', 'ru') })
  const code = page.getByLabel(purchase('promocode'), { exact: true })
  await method.check({ force: true })
  await code.fill('SPRING')
  await expect(page).toHaveURL(`${origin()}/purchase?amount=5&pool=mobile&method=sandbox&promocode=SPRING`)
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: textOf('header')('rules') })
    .click()
  await expect(page).toHaveURL(`${origin()}/rules`)
  await page.goBack()
  await expect(method).toBeChecked()
  await expect(code).toHaveValue('SPRING')
  // A method that is not on offer is not chosen.
  await page.goto(`${origin()}/purchase?method=nonsense`)
  await expect(method).toBeVisible()
  await expect(page.getByRole('radio', { name: methodTitle('referral', 'ru') })).not.toBeChecked()
})
