/** Presets of the generator, their secret links, and the trial of a line. */
import { screensFrom } from './screens.ts'
import {
  buy,
  expect,
  expectAccessibleEverywhere,
  filled,
  gatewaySource,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'

for (const { language, width } of screensFrom(
  { language: 'en', width: 360 },
  { phone: 360, desktop: 1280 },
)) {
  test(`settings are saved, tried and fetched by a link: ${language}, ${width} px`, async ({ page }) => {
    const texts = words(language, 'generator')
    const text = (key: string, values: Record<string, string> = {}) =>
      filled(texts[key] ?? `no text ${key}`, values)
    const panel = words(language, 'userPanel')
    const button = (key: string) => page.getByRole('button', { name: text(key), exact: true })
    await page.setViewportSize({ width, height: 800 })
    const { token } = await signedIn(page, language)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await page.addInitScript((code) => localStorage.setItem('lang', code), language)
    await page.goto(`${origin()}/account?tab=panel`)

    // The line follows the settings.
    const line = page.getByRole('region', { name: text('live.title') })
    await expect(line).toHaveText(/^tp\w{6}:\w{16}:127/)
    await page
      .getByRole('radio', { name: panel['connection.sticky'] ?? '', exact: true })
      .check({ force: true })
    await expect(line).toHaveText(/^tp\w{6}-sid-\w{12}:\w{16}:127/)

    // Saved, and chosen again after a reload and a reset.
    const label = language === 'ru' ? 'Цены' : 'Prices'
    await button('saveAs').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(text('name')).fill(label)
    await dialog.getByRole('button', { name: text('save'), exact: true }).click()
    await expect(dialog).toBeHidden()
    await page.evaluate(() => localStorage.removeItem('panel-settings'))
    await page.reload()
    await expect(line).toHaveText(/^tp\w{6}:\w{16}:127/)
    await page.getByLabel(text('preset')).selectOption({ index: 1 })
    await expect(line).toHaveText(/^tp\w{6}-sid-\w{12}:\w{16}:127/)
    await expectAccessibleEverywhere(page)

    // Tried by the server.
    await button('try.act').click()
    await expect(page.getByText(text('try.good'), { exact: true })).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText(gatewaySource, { exact: true })).toBeVisible()

    // A program fetches the list.
    await button('link.title').click()
    await dialog.getByRole('button', { name: text('link.make') }).click()
    await expect(dialog.getByText(text('link.once'))).toBeVisible()
    await expect(dialog.getByRole('img', { name: text('link.qr') })).toBeVisible()
    await expectAccessibleEverywhere(page)
    // The login and password too: browsers ask for them, because a PAC file cannot contain them.
    await expect(dialog.locator('code')).toHaveCount(4)
    const [list = '', pac = '', login = '', password = ''] = await dialog.locator('code').allTextContents()
    expect([login, password]).toEqual([
      expect.stringMatching(/^tp\w{6}-sid-\w{12}$/),
      expect.stringMatching(/^\w{16}$/),
    ])
    const lines = await fetch(list)
    expect(await lines.text()).toMatch(/^tp\w{6}-sid-\w{12}:\w{16}:127[\d.]+:\d+\n$/)
    expect(await (await fetch(pac)).text()).toContain('FindProxyForURL')
    await dialog.getByRole('button', { name: text('link.revoke'), exact: true }).click()
    await expect(dialog.getByText(text('link.once'))).toBeHidden()
    expect((await fetch(list)).status).toBe(404)
    await page.keyboard.press('Escape')

    await button('delete').click()
    await dialog.getByRole('button', { name: text('delete'), exact: true }).click()
    await expect(page.getByText(text('none'))).toBeVisible()
  })
}
