/** Rules of every page: product.md sections 4 and 8 (401, storage, notices), 7 (five seconds). */
import { buy, expect, origin, signedIn, test, words } from './shop.ts'

const auth = words('ru', 'auth')
const panel = words('ru', 'userPanel')
const late = 'Сервер не ответил за 5 секунд. Попробуйте ещё раз.'

test('a server silent for five seconds is reported, and the same button works once it answers', async ({
  page,
}) => {
  const { username } = await signedIn(page)
  await page.evaluate(() => localStorage.clear())
  await page.goto(`${origin()}/login`)
  await page.getByLabel(auth['login.name'] ?? '').fill(username)
  await page.getByLabel(auth['login.password'] ?? '', { exact: true }).fill('a long password')
  let silent = true
  // The request is held, as by a network that drops it; the test does not fake an answer of the server.
  await page.route('**/rpc/signin', (route) => (silent ? undefined : route.continue()))
  const began = Date.now()
  await page.getByRole('button', { name: auth['login.submit'] ?? '', exact: true }).click()
  await expect(page.getByRole('main').getByText(late)).toBeVisible({ timeout: 15_000 })
  expect(Date.now() - began).toBeGreaterThan(4900)
  silent = false
  await page.getByRole('button', { name: auth['login.submit'] ?? '', exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/account`)
})

test('a read without an answer is retried once, then a retry is offered', async ({ page }) => {
  let silent = true
  await page.route('**/rpc/invoices', (route) => (silent ? undefined : route.continue()))
  await signedIn(page)
  await page.goto(`${origin()}/account?tab=invoices`)
  await expect(page.getByText(panel['invoices.failed'] ?? '')).toBeVisible({ timeout: 20_000 })
  silent = false
  await page.getByRole('button', { name: panel['invoices.retry'] ?? '' }).click()
  await expect(page.getByText(panel['invoices.empty'] ?? '')).toBeVisible()
})

test('a session that ends while a page is open leads to /login on the next action, and clears the user', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=panel`)
  const generate = page.getByRole('button', { name: panel['summary.generate'] ?? '' })
  await expect(generate).toBeVisible()
  await page.request.post(`${origin()}/api/rpc/signout`, {
    headers: { authorization: `Bearer ${token}` },
    data: {},
  })
  await generate.click()
  await expect(page).toHaveURL(`${origin()}/login`)
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull()
})

test('a tab that is opened without a connection keeps the page, says so, and opens by itself', async ({
  page,
  context,
}) => {
  await signedIn(page)
  await page.goto(`${origin()}/account?tab=panel`)
  const balances = page.getByRole('heading', { level: 1 })
  const before = await balances.textContent()
  // Waits until the first tab has loaded: while it loads, a click on another tab would replace it at once.
  await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
  await context.setOffline(true)
  // The browser applies it a moment later: until then the tab's code would still be fetched.
  await expect
    .poll(() =>
      page.evaluate(() =>
        fetch('/api/echo').then(
          () => 'online',
          () => 'offline',
        ),
      ),
    )
    .toBe('offline')
  const tab = page.getByRole('link', { name: words('ru', 'userBtns')['title.whitelist'] ?? '', exact: true })
  await tab.click()
  await expect(page.getByText(words('ru', 'header')['offline'] ?? '')).toBeVisible()
  await expect(balances).toHaveText(before ?? '')
  await context.setOffline(false)
  await expect(page.getByLabel(words('ru', 'userPanel')['whitelist.address'] ?? '')).toBeVisible()
  await expect(page.getByText(words('ru', 'header')['offline'] ?? '')).toBeHidden()
})

test('stored values are restored; invalid ones are ignored', async ({ page }) => {
  const { username, token } = await signedIn(page)
  await page.goto(origin())
  const name = page.getByRole('banner').getByRole('link', { name: username }).first()
  await expect(name).toBeVisible()
  // A record of an older version: missing fields get their defaults.
  await page.evaluate(
    (kept) => localStorage.setItem('user', JSON.stringify({ user_id: 1, token: kept, mobile: 'broken' })),
    token,
  )
  // By the profile of the token the page would correct the record, with a reload at any moment from here on.
  const profile = '**/api/legacy_profile'
  await page.route(profile, () => undefined)
  await page.reload()
  await expect(page.getByRole('banner').getByRole('link', { name: /1$/ }).first()).toBeVisible()
  await page.unroute(profile)
  await page.goto(`${origin()}/account`)
  await expect(page.getByRole('region', { name: words('ru', 'userBtns')['profile'] ?? '' })).toContainText(
    username,
  )

  await page.evaluate(() => {
    localStorage.setItem(
      'panel-settings',
      '{"protocol":"gopher","countries":[{"code":1}],"proxy_amount":-5,"anon":false',
    )
    localStorage.setItem('lang', 'klingon')
  })
  await page.goto(`${origin()}/account?tab=panel`)
  await expect(page.getByRole('radio', { name: 'HTTPS', exact: true })).toBeChecked()
  await page.evaluate(() =>
    localStorage.setItem(
      'panel-settings',
      '{"protocol":"gopher","countries":7,"proxy_amount":12,"anon":false}',
    ),
  )
  await page.reload()
  await expect(page.getByRole('radio', { name: 'HTTPS', exact: true })).toBeChecked()
  await expect(page.getByLabel(panel['output.quantity'] ?? '', { exact: true })).toHaveValue('12')
  // Before the page's own scripts: an answer about the profile would write the user again.
  await page.addInitScript(() => localStorage.setItem('user', '{"token":'))
  await page.goto(`${origin()}/account`)
  await expect(page).toHaveURL(`${origin()}/login`)
})

test('a notice appears at the top right and disappears after three seconds', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${origin()}/login`)
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: auth['login.submit'] ?? '', exact: true }).click()
  const notice = page.getByRole('region', { name: 'Уведомления' }).getByRole('listitem')
  await expect(notice).toBeVisible()
  const seen = Date.now()
  const box = await notice.boundingBox()
  expect(box?.y).toBeLessThan(120)
  expect(1440 - (box?.x ?? 0) - (box?.width ?? 0)).toBeLessThan(40)
  await page.mouse.move(10, 800)
  await expect(notice).toHaveCount(0, { timeout: 10_000 })
  expect(Date.now() - seen).toBeGreaterThan(2000)
})

test('the first usable pool replaces an unusable one, in statistics and security too', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'datacenter', amount: 1 })
  const datacenter = words('ru', 'header')['pools.datacenter'] ?? ''
  for (const tab of ['statistic', 'changePass', 'whitelist']) {
    await page.goto(`${origin()}/account?tab=${tab}&pool=mobile`)
    await expect(page.getByRole('radio', { name: datacenter })).toBeChecked()
  }
})

test('an unknown address shows an error with a link to the home page', async ({ page }) => {
  const answer = await page.goto(`${origin()}/nowhere`)
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    words('ru', 'header')['missing.title'] ?? '',
  )
  await page.getByRole('link', { name: words('ru', 'header')['missing.home'] ?? '', exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/`)
})

test('the operator’s name of the shop appears on the pages that are not prerendered too', async ({
  page,
}) => {
  await page.goto(`${origin()}/forgot_password`)
  const site = (await (await page.request.get(`${origin()}/api/rpc/site`)).json()) as {
    brand: { name: string }
  }
  await expect(page).toHaveTitle(new RegExp(`${site.brand.name}$`))
  const shell = await (
    await page.request.get(`${origin()}/forgot_password`, { headers: { accept: 'text/html' } })
  ).text()
  expect(shell).toContain(`<title>${site.brand.name}</title>`)
})
