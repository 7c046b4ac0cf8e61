/**
 * Usage of any period with its filters, the switch that stops the storing of sites, and the page that
 * verifies a bill.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Page } from '@playwright/test'
import { openDatabase } from '#db'
import { closeBills } from '#ledger'
import { paidPerGb } from '#purchase'
import { billOf } from '#test/bill'
import { aroundTheRules, hoursLater } from '#test/ledger'
import { requestsByHour } from '#traffic'
import { languagesFrom } from './screens.ts'
import { buy, expect, expectAccessibleEverywhere, filled, origin, signedIn, test, words } from './shop.ts'

const ru = words('ru', 'usage')
const bill = words('ru', 'bill')
const say = (text: string | undefined, values: Record<string, string>) => filled(text ?? '', values)

/** Transfers two megabytes through the proxy, with this shop as the target. */
async function use(page: Page, token: string): Promise<void> {
  const lines = await page.request.post(`${origin()}/api/rpc/get_proxy`, {
    headers: { authorization: `Bearer ${token}` },
    data: {
      anonymous: 'true',
      type: 'rotating',
      protocol: 'http',
      format: 'login:password@hostname:port',
      pool: 'residential',
    },
  })
  const target = `${origin()}/api/echo?bytes=2000000`
  await promisify(execFile)('curl', ['-sSf', '-o', '/dev/null', '-x', `http://${await lines.text()}`, target])
}

test('usage is filtered by site, saved as CSV, and sites are not kept when the customer wishes so', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await page.goto(`${origin()}/account?tab=statistic`)
  const report = page.getByRole('region', { name: ru['title'] ?? '' })
  await expect(report).toContainText(ru['empty'] ?? '')
  await expectAccessibleEverywhere(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await use(page, token)

  // The balance and the day are shown to the byte too.
  await page.goto(`${origin()}/account`)
  await expect(page.getByRole('main')).toContainText(/99\d.\d{3}.\d{3}.Б/)

  const host = new URL(origin()).hostname
  const hasRow = async () => {
    const today = new Date().toISOString().slice(0, 10)
    const answer = await page.request.post(`${origin()}/api/rpc/get_usage`, {
      headers: { authorization: `Bearer ${token}` },
      data: { from: today, to: today, by: 'host' },
    })
    return (await answer.text()).includes(host)
  }
  await expect.poll(hasRow, { timeout: 15_000 }).toBe(true)
  await page.goto(`${origin()}/account?tab=statistic`)
  await report.getByLabel(ru['by'] ?? '').selectOption('host')
  await expect(page).toHaveURL(/by=host/)
  await page.reload()
  await expectAccessibleEverywhere(page)

  const downloading = page.waitForEvent('download')
  await report.getByRole('button', { name: ru['csv'] ?? '' }).click()
  const rows = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
  expect(rows[0]).toBe('host,charged_bytes,bonus_bytes,requests,refused')
  expect(rows[1]).toMatch(new RegExp(`^${host},200\\d{4},,1,0$`))

  await report.getByRole('button', { name: say(ru['showDays'], { value: host }) }).click()
  await expect(report).toContainText(say(ru['only'], { value: host }))
  await expect(page).toHaveURL(/only=host/)
  await report.getByRole('button', { name: ru['clear'] ?? '' }).click()
  await report.getByRole('radio', { name: say(ru['lastDays'], { count: '7' }) }).click()
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=/)
  await expect(page).not.toHaveURL(/only=/)

  // It is shown as switched once the server has stored it.
  await page.goto(`${origin()}/account?tab=profile`)
  await page.getByLabel(ru['privacySwitch'] ?? '').click()
  await expect(page.getByText(ru['privacyOn'] ?? '').first()).toBeVisible()
  await page.reload()
  await expect(page.getByLabel(ru['privacySwitch'] ?? '')).toBeChecked()
  await use(page, token)
  await page.goto(`${origin()}/account?tab=statistic&by=host`)
  await expect(async () => {
    await page.reload()
    await expect(report).toContainText(ru['withheld'] ?? '', { timeout: 2000 })
  }).toPass({ timeout: 15_000 })
})

test('a bill is verified in the browser: one changed byte is found, and nothing is sent', async ({
  page,
}) => {
  await page.goto(`${origin()}/verify-bill`)
  await expectAccessibleEverywhere(page)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  const check = (text: string) =>
    page
      .getByLabel(bill['choose'] ?? '', { exact: true })
      .and(page.locator('input'))
      .setInputFiles({ name: 'bill.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  const good = billOf()
  await check(good)
  await expect(page.getByRole('heading', { name: bill['ok'] ?? '' })).toBeVisible()
  const head = good.slice(-65, -1)
  await expect(page.getByRole('main')).toContainText(head)
  await page.getByLabel(bill['expected'] ?? '').fill(head)
  await expect(page.getByRole('main')).toContainText(bill['same'] ?? '')
  // The fingerprint of an earlier line, and one that no line has.
  await page.getByLabel(bill['expected'] ?? '').fill(good.split('\n')[1]?.slice(-64) ?? '')
  await expect(page.getByRole('main')).toContainText(say(bill['earlier'], { line: '1', rest: '1' }))
  await page.getByLabel(bill['expected'] ?? '').fill('f'.repeat(64))
  await expect(page.getByRole('main')).toContainText(say(bill['other'], { head }))
  await expectAccessibleEverywhere(page)

  await check(good.replace(',90,', ',91,'))
  await expect(page.getByRole('heading', { name: say(bill['bad'], { line: '3' }) })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(bill['fault.hash'] ?? '')
  await expectAccessibleEverywhere(page)
  await check('a picture')
  await expect(page.getByRole('main')).toContainText(bill['fault.form'] ?? '')
  // The page may still load its own code, but must request and send nothing else.
  expect(sent.filter((url) => url.startsWith('http') && !url.includes('/assets/'))).toEqual([])
})

/** Moves all usage three hours into the past: its hours are complete, and the bill contains them. */
async function hoursPass(): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  const back = `interval '3 hours'`
  await hoursLater(database, 3)
  await aroundTheRules(
    database,
    `update ledger_transaction set posted_at = posted_at - ${back}; update bill_since set hour = hour - ${back};
     update bill_pool set hour = hour - ${back}`,
  )
  await closeBills(database.db, { paidPerGb, requests: requestsByHour })
  await database.close()
}

for (const language of languagesFrom('ru'))
  test(`a downloaded bill of real hours is valid, and one changed byte is detected (${language})`, async ({
    page,
  }) => {
    const usage = words(language, 'usage')
    const texts = words(language, 'bill')
    const { token } = await signedIn(page, language)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await use(page, token)
    const charged = async () => {
      const answer = await page.request.post(`${origin()}/api/rpc/get_usage`, {
        headers: { authorization: `Bearer ${token}` },
        data: { from: today(), to: today(), by: 'day' },
      })
      return ((await answer.json()) as { total: { charged_bytes: number } }).total.charged_bytes
    }
    await expect.poll(charged, { timeout: 15_000 }).toBeGreaterThan(2_000_000)
    await hoursPass()
    await page.goto(`${origin()}/account?tab=bill`)
    const card = page.getByRole('region', { name: usage['bill'] ?? '' })
    const head = (await card.locator('dd').textContent())?.slice(0, 64) ?? ''
    expect(head).toMatch(/^[0-9a-f]{64}$/)
    const downloading = page.waitForEvent('download')
    await card.getByRole('button', { name: usage['billDownload'] ?? '' }).click()
    const file = readFileSync(await (await downloading).path())
    expect(file.toString()).toContain(',residential,1000000000,')

    await card.getByRole('link', { name: usage['billVerify'] ?? '' }).click()
    const main = page.getByRole('main')
    const check = (buffer: Buffer) =>
      page
        .getByLabel(texts['choose'] ?? '', { exact: true })
        .and(page.locator('input'))
        .setInputFiles({ name: 'bill.csv', mimeType: 'text/csv', buffer })
    await check(file)
    await expect(page.getByRole('heading', { name: texts['ok'] ?? '' })).toBeVisible()
    await page.getByLabel(texts['expected'] ?? '').fill(head)
    await expect(main).toContainText(texts['same'] ?? '')
    await expectAccessibleEverywhere(page)

    const changed = Buffer.from(file)
    const at = changed.indexOf(',1000000000,') + 1
    changed.write('2', at)
    await check(changed)
    await expect(page.getByRole('heading', { name: say(texts['bad'], { line: '2' }) })).toBeVisible()
    await expect(main).toContainText(texts['fault.hash'] ?? '')
    await expectAccessibleEverywhere(page)
  })

const today = () => new Date().toISOString().slice(0, 10)
