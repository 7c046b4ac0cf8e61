/**
 * The samples shown with generated lines: they run unchanged, over each protocol; and the settings for a
 * browser.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { buy, expect, expectAccessible, gatewaySource, origin, signedIn, test, words } from './shop.ts'

const run = promisify(execFile)
const ru = words('ru', 'userPanel')
const text = (key: string) => ru[key] ?? ''
const tool = words('ru', 'generator')['tool'] ?? ''

for (const protocol of ['HTTP', 'HTTPS', 'SOCKS5']) {
  test(`the samples of ${protocol} lines get an answer through the proxy`, async ({ page }) => {
    const { token } = await signedIn(page)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await page.goto(`${origin()}/account?tab=panel`)
    await page.getByRole('radio', { name: protocol, exact: true }).check({ force: true })
    await page.getByRole('button', { name: text('summary.generate') }).click()
    const dialog = page.getByRole('dialog')
    const choose = (name: string) => dialog.getByLabel(tool).selectOption({ label: name })
    const sample = async (name: string) => {
      await choose(name)
      return (await dialog.getByRole('region', { name }).textContent()) ?? ''
    }
    const curl = await run('sh', ['-c', `${await sample('curl')} -sSf`])
    expect(JSON.parse(curl.stdout)).toMatchObject({ ip: gatewaySource, method: 'GET' })
    const node = await run(process.execPath, ['--input-type=module', '-e', await sample('Node.js: undici')], {
      cwd: path.join(import.meta.dirname, '../..'),
    })
    expect(JSON.parse(node.stdout)).toMatchObject({ ip: gatewaySource, method: 'GET' })
    const scheme = protocol === 'SOCKS5' ? 'socks5h' : 'http'
    expect(await sample('Python: requests')).toMatch(
      new RegExp(`proxy = "${scheme}://tp[a-z0-9]+:\\w{16}@127`),
    )
    await expectAccessible(page)
    await choose(text('samples.browser'))
    await expect(dialog.getByText(words('ru', 'generator')['samples.browserSocks'] ?? '')).toHaveCount(
      protocol === 'SOCKS5' ? 1 : 0,
    )
    await expectAccessible(page)
  })
}
