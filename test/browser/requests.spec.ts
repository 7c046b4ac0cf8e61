/** Requests as they happen, one of them opened, understood and repaired; and the overview of a new, a busy and an empty customer. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { buy, expect, expectAccessibleEverywhere, origin, signedIn, test, words } from './shop.ts'

const run = promisify(execFile)
function textIn(language: 'ru' | 'en', key: string): string {
  const found = words(language, 'requests')[key] ?? words(language, 'proxyCodes')[key]
  if (found === undefined) throw new Error(`no text ${key}`)
  return found
}
const text = (key: string) => textIn('ru', key)

/** A line of the pool, as `-x` of curl takes it. */
async function lineOf(page: Page, token: string, pool = 'residential'): Promise<string> {
  const answer = await page.request.post(`${origin()}/api/rpc/get_proxy`, {
    headers: { authorization: `Bearer ${token}` },
    data: {
      anonymous: 'true',
      type: 'rotating',
      protocol: 'http',
      format: 'login:password@hostname:port',
      quantity: 1,
      pool,
      region: 'eur',
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

  // Paused, it waits; then it is there.
  await page.getByRole('button', { name: text('pause') }).click()
  await send(line, 'http://10.1.2.3/')
  await expect(page.getByText('1 новый')).toBeVisible()
  await expect(list).toHaveCount(1)
  await page.getByRole('button', { name: text('resume') }).click()
  await expect(list).toHaveCount(2)
  await expect(list.first()).toContainText(text('codes.target_forbidden'))
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

test('a request of nobody, or of another customer, has no page', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/account?request=f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77`)
  await expect(page.getByText(text('one.notFound'))).toBeVisible()
  await expectAccessibleEverywhere(page)
})

for (const language of ['ru', 'en'] as const)
  test(`the overview leads a new customer to the first request, and checks off what is done${language === 'ru' ? '' : ' (en)'}`, async ({
    page,
  }) => {
    const text = (key: string) => textIn(language, key)
    const { token } = await signedIn(page, language)
    await page.goto(`${origin()}/account`)
    const steps = page.getByRole('region', { name: text('overview.next') }).getByRole('listitem')
    await expect(steps).toHaveCount(4)
    await expect(steps.filter({ hasText: `: ${text('overview.done')}` })).toHaveCount(0)
    await expectAccessibleEverywhere(page)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await page.reload()
    await expect(steps.filter({ hasText: `: ${text('overview.done')}` })).toHaveCount(1)
    const card = page.getByRole('region', { name: text('overview.card.title') })
    await expect(card.getByText('127.0.0.1', { exact: true })).toBeVisible()
    await expect(card.locator('pre')).toContainText('••••')
    await expectAccessibleEverywhere(page)

    const line = await lineOf(page, token)
    await send(line, `${origin()}/api/echo`)
    await send(line, 'http://10.1.2.3/')
    const refusals = page.getByRole('region', { name: text('overview.refusals') })
    await expect
      .poll(async () => {
        await page.reload()
        return (await refusals.textContent().catch(() => '')) ?? ''
      })
      .toContain(text('codes.target_forbidden'))
    await expect(steps.filter({ hasText: `: ${text('overview.done')}` })).toHaveCount(3)
    await expectAccessibleEverywhere(page)
    await refusals.getByRole('link', { name: new RegExp(text('overview.see')) }).click()
    await expect(page.getByRole('heading', { name: '10.1.2.3:80' })).toBeVisible()
  })
