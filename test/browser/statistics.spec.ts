/** The statistics tab: the chart, the CSV export, and an address that restores the same view. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { buy, expect, origin, signedIn, test, words } from './shop.ts'

const ru = { ...words('ru', 'userPanel'), ...words('ru', 'usage') }

test('pool and periods are stored in the address, and a day’s usage is drawn and saved as CSV', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  // The first usable pool is a different one, so this one has to be chosen.
  for (const pool of ['residential', 'datacenter']) await buy(page, token, { pool, amount: 1 })
  const headers = { authorization: `Bearer ${token}` }
  const lines = await page.request.post(`${origin()}/api/rpc/get_proxy`, {
    headers,
    data: {
      anonymous: 'true',
      type: 'rotating',
      protocol: 'http',
      format: 'login:password@hostname:port',
      pool: 'datacenter',
    },
  })
  const target = `${origin()}/api/echo?bytes=2000000`
  await promisify(execFile)('curl', ['-sSf', '-o', '/dev/null', '-x', `http://${await lines.text()}`, target])

  await page.goto(`${origin()}/account?tab=statistic`)
  await page.getByRole('radio', { name: words('ru', 'header')['pools.datacenter'] ?? '' }).click()
  await page.getByRole('button', { name: new RegExp(ru['statistics.month'] ?? '') }).click()
  await expect(page).toHaveURL(/pool=datacenter/)
  await expect(page).toHaveURL(/open=week%2Cmonth/)
  await page.reload()
  await expect(page.getByRole('main')).toContainText(/2,00.МБ/, { timeout: 10_000 })
  await expect(page.locator('.uplot canvas')).toHaveCount(2)

  const downloading = page.waitForEvent('download')
  await page
    .getByRole('button', { name: ru['statistics.csv'] ?? '' })
    .first()
    .click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('datacenter-week.csv')
  const rows = readFileSync(await download.path(), 'utf8').split('\r\n')
  expect(rows[0]).toBe('date_utc,paid_bytes,bonus_bytes,total_bytes,requests')
  expect(rows).toHaveLength(1 + 7 + 1)
  expect(rows[7]).toMatch(/^\d{4}-\d\d-\d\d,200\d{4},0,200\d{4},1$/)
})
