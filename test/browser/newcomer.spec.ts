/**
 * A new customer's first five minutes: register, buy, generate, send bytes with curl, see the statistics
 * change.
 */
import { execFile } from 'node:child_process'
import { methodTitle } from '#contract/invoices'
import { promisify } from 'node:util'
import { languagesFrom } from './screens.ts'
import { expect, expectAccessible, origin, register, test, words } from './shop.ts'

for (const language of languagesFrom('en')) {
  test(`a new customer gets from the home page to transferred bytes (${language})`, async ({ page }) => {
    const panel = words(language, 'userPanel')
    await page.goto(origin())
    await page.evaluate((lang) => localStorage.setItem('lang', lang), language)
    await page.goto(`${origin()}/register`)

    const username = `newcomer${language}${Date.now()}`
    await register(page, username, { language })
    await expect(page.locator('html')).toHaveAttribute('lang', language)

    await page.goto(`${origin()}/purchase?amount=1&pool=datacenter`)
    await page.getByRole('radio', { name: methodTitle('sandbox', language) }).click()
    await page.getByRole('button', { name: /0[.,]70/ }).click()
    await expect(page).toHaveURL(/\/sandbox\/pay\/[0-9a-f]{20}$/)
    await expectAccessible(page)
    await page.locator('button[value=paid]').click()
    await expect(page).toHaveURL(/\/account\?invoice=[0-9a-f]{20}$/)
    await expect(page.getByRole('main')).toContainText(/1[.,]00.(GB|ГБ)/)

    await page.goto(`${origin()}/account?tab=panel`)
    await page.getByRole('button', { name: panel['summary.generate'] ?? '' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toBeVisible()
    await expectAccessible(page)
    const line = /tp[a-z0-9]+:\w{16}:127\.0\.0\.1:\d+/.exec((await dialog.textContent()) ?? '')?.[0] ?? ''
    expect(line).not.toBe('')

    const [login, password, host, port] = line.split(':')
    const proxy = `http://${login}:${password}@${host}:${port}`
    await promisify(execFile)('curl', [
      '-sSf',
      '-o',
      '/dev/null',
      '-x',
      proxy,
      `${origin()}/api/echo?bytes=3000000`,
    ])

    await page.goto(`${origin()}/account?tab=statistic&pool=datacenter`)
    await expect(page.getByRole('main')).toContainText(/3[.,]00.(MB|МБ)/, { timeout: 30_000 })
  })
}
