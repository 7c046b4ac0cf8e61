/**
 * Live requests, one of them opened, explained and repaired; and the overview of a new customer.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { languagesFrom, screensFrom } from './screens.ts'
import {
  buy,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  expectNoSidewaysScroll,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'

const run = promisify(execFile)
const texts = {
  ru: { ...words('ru', 'requests'), ...words('ru', 'gatewayRefusals') },
  en: { ...words('en', 'requests'), ...words('en', 'gatewayRefusals') },
}
function text(key: string, language: 'ru' | 'en' = 'ru'): string {
  const found = texts[language][key]
  if (found === undefined) throw new Error(`no text ${key}`)
  return found
}

/** A call of the API as the customer. */
async function rpc<T>(page: Page, token: string, name: string, data: object): Promise<T> {
  const answer = await page.request.post(`${origin()}/api/rpc/${name}`, {
    headers: { authorization: `Bearer ${token}` },
    data,
  })
  expect(answer.ok()).toBe(true)
  return (await answer.json()) as T
}

/** A line of the pool, or of one of its proxy users, as `-x` of curl takes it. */
async function lineOf(page: Page, token: string, proxyUser?: number): Promise<string> {
  const answer = await page.request.post(`${origin()}/api/rpc/get_proxy`, {
    headers: { authorization: `Bearer ${token}` },
    data: {
      anonymous: 'true',
      type: 'rotating',
      protocol: 'http',
      format: 'login:password@hostname:port',
      quantity: 1,
      pool: 'residential',
      region: 'eur',
      ...(proxyUser === undefined ? {} : { proxy_user: proxyUser }),
    },
  })
  return `http://${await answer.text()}`
}

/** One request through the gateway; refusals of the proxy are no failure of curl. */
const send = (line: string, target: string) => run('curl', ['-s', '-o', '/dev/null', '-x', line, target])

test('requests appear while they happen; a refused one is opened, understood and repaired', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  const line = await lineOf(page, token)
  await page.goto(`${origin()}/account?tab=requests`)
  await expect(page.getByText(text('empty'), { exact: true })).toBeVisible()
  await expect(page.getByText(text('live'), { exact: true })).toBeVisible()

  await send(line, `${origin()}/api/echo`)
  const list = page.getByRole('list', { name: text('list') }).getByRole('listitem')
  await expect(list).toHaveCount(1)
  await expect(list.first()).toContainText(text('end.done'))

  // While paused, the request waits; then it is shown.
  await page.getByRole('button', { name: text('pause') }).click()
  await send(line, 'http://10.1.2.3/')
  await expect(page.getByText('1 новый')).toBeVisible()
  await expect(list).toHaveCount(1)
  await page.getByRole('button', { name: text('resume') }).click()
  await expect(list).toHaveCount(2)
  await expect(list.first()).toContainText(text('advice.target_forbidden'))
  await expectAccessibleEverywhere(page)

  // Filters stand in the address; what is new passes them too.
  await page.locator('summary').click()
  await page.getByLabel(text('outcome'), { exact: true }).selectOption('refused')
  await expect(page).toHaveURL(/outcome=refused/)
  await expect(list).toHaveCount(1)
  await send(line, `${origin()}/api/echo`)
  await send(line, 'http://10.1.2.4/')
  await expect(list).toHaveCount(2)
  await expectAccessibleEverywhere(page)

  await list.first().getByRole('link').first().click()
  await expect(page.getByRole('heading', { name: '10.1.2.4:80' })).toBeVisible()
  await expect(page.getByText(text('one.free'))).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.getByRole('link', { name: text('repair.rules') }).click()
  await expect(page).toHaveURL(/\/rules$/)
  await page.goBack()
  await page.getByRole('link', { name: words('ru', 'userBtns')['backToRequests'] ?? '' }).click()
  await expect(page).toHaveURL(/outcome=refused/)
})

/**
 * Sends one request through the gateway; returns the status of the target or of the proxy's refusal, also
 * when the response is cut off.
 */
async function statusOf(line: string, target: string): Promise<number> {
  const sent = run('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-x', line, target])
  const { stdout } = await sent.catch((error: { stdout: string }) => error)
  return Number(stdout)
}

for (const { language, width } of screensFrom({ language: 'ru', width: 390 })) {
  const say = (key: string) => text(key, language)
  test(`a reached cap and a frozen proxy user are repaired by one press, ${language} at ${width}`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 })
    const { token } = await signedIn(page, language)
    await page.goto(`${origin()}/account?tab=requests`)
    await buy(page, token, { pool: 'residential', amount: 1 })
    const pool = 'residential'
    await rpc(page, token, 'set_pool_limits', { pool, day_bytes: 1_000_000 })
    const line = await lineOf(page, token)
    // Curl is refused once the cap is used up.
    await expect.poll(() => statusOf(line, `${origin()}/api/echo?bytes=200000`)).toBe(402)
    const row = page
      .getByRole('list', { name: say('list') })
      .getByRole('listitem')
      .first()
    await expect(row).toContainText(say('advice.cap_reached'))
    await row.getByRole('link').first().click()
    await expect(page.getByText(say('advice.cap_reached'))).toBeVisible()
    const raise = page.getByRole('button', { name: new RegExp(say('repair.raiseToday')) })
    await expect(raise).not.toHaveAttribute('aria-busy')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await raise.click()
    await expect(page.getByRole('status').filter({ hasText: /2[.,]00/ })).toBeVisible()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await expect.poll(() => statusOf(line, `${origin()}/api/echo`)).toBe(200)

    // After one raise, the repair links to the limits, opened at the field of the daily limit.
    await page.reload()
    await page.getByRole('link', { name: say('repair.limits') }).click()
    await expect(
      page.getByLabel(words(language, 'userPanel')['limits.day'] ?? '', { exact: true }),
    ).toBeFocused()

    const { number } = await rpc<{ number: number }>(page, token, 'create_proxy_user', {
      pool,
      label: 'Crew',
    })
    const usersLine = await lineOf(page, token, number)
    await rpc(page, token, 'set_pool_limits', { pool, day_bytes: null })
    await expect.poll(() => statusOf(usersLine, `${origin()}/api/echo`)).toBe(200)
    await rpc(page, token, 'freeze_proxy_user', { pool, number, frozen: true })
    await expect.poll(() => statusOf(usersLine, `${origin()}/api/echo`)).toBe(403)
    await page.goto(`${origin()}/account?tab=requests&code=user_frozen`)
    await expect(row).toContainText(say('advice.user_frozen'))
    // The list leads to the form of this user.
    await row.getByRole('link', { name: say('repair.user') }).click()
    await expect(page.getByRole('dialog')).toContainText('Crew')
    await page.goBack()
    await row.getByRole('link').first().click()
    await page.getByRole('button', { name: say('repair.unfreeze') }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Crew' })).toBeVisible()
    await expectAccessible(page)
    await expect.poll(() => statusOf(usersLine, `${origin()}/api/echo`)).toBe(200)
  })
}

test('a request that does not exist, or is another customer’s, has no page', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/account?request=f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77`)
  await expect(page.getByText(text('one.notFound'))).toBeVisible()
  await expectAccessibleEverywhere(page)
})

for (const language of languagesFrom('en'))
  test(`the overview leads a new customer to the first request, and checks off the completed steps${language === 'ru' ? '' : ' (en)'}`, async ({
    page,
  }) => {
    const say = (key: string) => text(key, language)
    const { token } = await signedIn(page, language)
    await page.goto(`${origin()}/account`)
    const steps = page.getByRole('region', { name: say('overview.next') }).getByRole('listitem')
    await expect(steps).toHaveCount(4)
    await expect(steps.filter({ hasText: `: ${say('overview.done')}` })).toHaveCount(0)
    await expectAccessibleEverywhere(page)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await page.reload()
    await expect(steps.filter({ hasText: `: ${say('overview.done')}` })).toHaveCount(1)
    const card = page.getByRole('region', { name: say('overview.card.title') })
    await expect(card.getByText('127.0.0.1', { exact: true })).toBeVisible()
    await expect(card.locator('pre')).toContainText('••••')
    await expectAccessibleEverywhere(page)

    const line = await lineOf(page, token)
    await send(line, `${origin()}/api/echo`)
    await send(line, 'http://10.1.2.3/')
    const refusals = page.getByRole('region', { name: say('overview.refusals') })
    await expect
      .poll(async () => {
        await page.reload()
        return (await refusals.textContent().catch(() => '')) ?? ''
      })
      .toContain(say('advice.target_forbidden'))
    // The first steps are done; the unconfirmed address is listed under «needs attention».
    await expect(steps).toHaveCount(0)
    await expectAccessibleEverywhere(page)
    await refusals.getByRole('link', { name: new RegExp(say('overview.see')) }).click()
    await expect(page.getByRole('heading', { name: '10.1.2.3:80' })).toBeVisible()
  })
