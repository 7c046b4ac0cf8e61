/** Proxy users: made, limited, used, frozen and deleted in the account. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { screensFrom } from './screens.ts'
import { buy, expect, expectAccessibleEverywhere, filled, origin, signedIn, test, words } from './shop.ts'

const run = promisify(execFile)

for (const { language, width } of screensFrom({ language: 'ru', width: 390 }))
  test.describe(`${language}, ${width} px`, () => {
    test.use({ locale: language, viewport: { width, height: 844 } })
    const texts = words(language, 'proxyUsers')
    const panel = words(language, 'userPanel')
    const text = (key: string, values: Record<string, string> = {}) => filled(texts[key] ?? '', values)
    const [label, renamedTo] = language === 'ru' ? ['Анна', 'Анна Б.'] : ['Anna', 'Anna B.']

    test('a proxy user is made, limited, frozen, given a new password and deleted', async ({ page }) => {
      const { token } = await signedIn(page, language)
      await page.goto(`${origin()}/account?tab=proxyUsers`)
      await expect(page.getByText(text('noPool'))).toBeVisible()
      await expectAccessibleEverywhere(page)
      await buy(page, token, { pool: 'residential', amount: 1 })
      await page.reload()
      await expect(page.getByText(text('empty'))).toBeVisible()

      const dialog = page.getByRole('dialog')
      const field = (name: string) => dialog.getByLabel(text(name), { exact: true })
      await page.getByRole('button', { name: text('create') }).click()
      await expectAccessibleEverywhere(page)
      await dialog.getByRole('button', { name: text('make') }).click()
      await expect(field('label')).toHaveAccessibleDescription(text('wrong.label'))
      await field('label').fill(label)
      await field('total').fill('1,5')
      await field('addresses').fill('home')
      await dialog.getByRole('button', { name: text('make') }).click()
      await expect(field('addresses')).toHaveAccessibleDescription(/[«“]home[»”]/)
      await expect(field('addresses')).toBeFocused()
      await dialog.getByRole('button', { name: panel['place.choose'] ?? '' }).click()
      const picker = page.getByRole('dialog', { name: panel['picker.countriesTitle'] ?? '' })
      await picker.getByRole('option').first().click()
      await expectAccessibleEverywhere(page)
      await picker.getByRole('button', { name: panel['picker.confirm'] ?? '' }).click()
      await expect(picker).toBeHidden()
      await field('addresses').fill('203.0.113.7/24')
      await dialog.getByLabel(text('countriesOf.except'), { exact: true }).check()
      await dialog.getByLabel(new RegExp(text('noDouble'))).check()
      await expectAccessibleEverywhere(page)
      await dialog.getByRole('button', { name: text('make') }).click()
      await expect(dialog).toBeHidden()

      const card = page.getByRole('listitem', { name: label })
      // A program uses it, which its card and its statistics show.
      const asked = { headers: { authorization: `Bearer ${token}` }, data: { pool: 'residential' } }
      const found = await page.request.post(`${origin()}/api/rpc/get_proxy_users`, {
        headers: asked.headers,
        data: { ...asked.data, passwords: true },
      })
      const [made] = (
        (await found.json()) as { users: { login: string; password: string; number: number }[] }
      ).users
      const proxy = `http://${made?.login}:${made?.password}@127.0.0.1:${process.env['TEST_PORT_BASE']}`
      await page.request.post(`${origin()}/api/rpc/change_proxy_user`, {
        headers: asked.headers,
        data: { ...asked.data, number: made?.number, addresses: ['127.0.0.0/8', '203.0.113.0/24'] },
      })
      await run('curl', ['-sSf', '-o', '/dev/null', '-x', proxy, `${origin()}/api/echo?bytes=2000000`])
      await expect(async () => {
        await page.reload()
        await expect(card).toContainText(/2[,.]00.(МБ|MB)/, { timeout: 1000 })
      }).toPass({ timeout: 20_000 })
      await expect(card).toContainText(text('stateOf.active'))
      await expect(card).toContainText('203.0.113.0/24')
      await expect(card).toContainText(text('noDouble'))
      await expectAccessibleEverywhere(page)
      await card.getByRole('switch').click()
      await expect(card).toContainText(text('stateOf.frozen'))

      await card.getByRole('button', { name: text('editOf', { label }) }).click()
      await expect(field('total')).toHaveValue(language === 'ru' ? '1,5' : '1.5')
      await field('label').fill(renamedTo)
      await dialog.getByRole('button', { name: text('save') }).click()
      await expect(dialog).toBeHidden()
      const renamed = page.getByRole('listitem', { name: renamedTo })

      await renamed.getByRole('button', { name: text('usageOf', { label: renamedTo }) }).click()
      await expect(dialog.getByRole('row')).toHaveCount(31)
      await expect(dialog.getByRole('row').nth(1)).toContainText(/2[,.]00.(МБ|MB)/)
      await expectAccessibleEverywhere(page)
      await page.keyboard.press('Escape')

      await renamed.getByRole('button', { name: text('endOf', { label: renamedTo }) }).click()
      await expectAccessibleEverywhere(page)
      await dialog.getByRole('button', { name: text('end'), exact: true }).click()
      await expect(page.getByText(text('ended'))).toBeVisible()

      await renamed.getByRole('button', { name: text('listedOf', { label: renamedTo }) }).click()
      await dialog.getByLabel(text('listedAddress'), { exact: true }).fill('10.0.0.1')
      await dialog.getByRole('button', { name: text('list'), exact: true }).click()
      await expect(dialog.getByLabel(text('listedAddress'), { exact: true })).toHaveAccessibleDescription(
        /IPv4/,
      )
      await dialog.getByLabel(text('listedAddress'), { exact: true }).fill('45.45.7.8')
      await dialog.getByRole('button', { name: text('list'), exact: true }).click()
      await expect(dialog.getByRole('listitem')).toContainText(text('unproven'))
      await expectAccessibleEverywhere(page)
      await dialog.getByRole('button', { name: text('unlist', { ip: '45.45.7.8' }) }).click()
      await expect(dialog.getByRole('listitem')).toBeHidden()
      await page.keyboard.press('Escape')

      await renamed.getByRole('button', { name: text('renewOf', { label: renamedTo }) }).click()
      await dialog.getByRole('button', { name: text('renew') }).click()
      await expect(page.getByText(text('renewed'))).toBeVisible()

      await page.goto(`${origin()}/account?tab=panel`)
      await expect(page.getByLabel(panel['whose.label'] ?? '')).toContainText(renamedTo)
      await page.goto(`${origin()}/account?tab=proxyUsers`)
      await renamed.getByRole('button', { name: text('deleteOf', { label: renamedTo }) }).click()
      await dialog.getByRole('button', { name: text('delete'), exact: true }).click()
      await expect(page.getByText(text('empty'))).toBeVisible()
    })

    test('a proxy user is given traffic and has it taken back, and its login joins another pool', async ({
      page,
    }) => {
      const { token } = await signedIn(page, language)
      await buy(page, token, { pool: 'residential', amount: 2 })
      await buy(page, token, { pool: 'mobile', amount: 1 })
      const made = await page.request.post(`${origin()}/api/rpc/create_proxy_user`, {
        headers: { authorization: `Bearer ${token}` },
        data: { pool: 'residential', label, total_bytes: 1_000_000_000, reserved: true },
      })
      expect(made.ok()).toBe(true)
      await page.goto(`${origin()}/account?tab=proxyUsers&pool=residential`)
      const card = page.getByRole('listitem', { name: label })
      const dialog = page.getByRole('dialog')
      const amount = dialog.getByLabel(text('amount'), { exact: true })
      const open = () => card.getByRole('button', { name: text('amountOf', { label }) }).click()
      const send = (way: string) => dialog.getByRole('button', { name: text(way), exact: true }).click()

      await open()
      await send('give')
      await expect(amount).toHaveAccessibleDescription(text('wrong.total'))
      await amount.fill('5')
      await send('give')
      await expect(amount).toHaveAccessibleDescription(/1[,.]00 (ГБ|GB)/)
      await expect(amount).toBeFocused()
      await expectAccessibleEverywhere(page)
      await amount.fill('0,5')
      await send('give')
      await expect(card).toContainText(/1[,.]50.(ГБ|GB)/)
      await open()
      await dialog.getByRole('radio', { name: text('take') }).check()
      await amount.fill('1')
      await send('take')
      await expect(card).toContainText(/500[,.]00.(МБ|MB)/)

      await card.getByRole('button', { name: text('joinOf', { label }) }).click()
      await expectAccessibleEverywhere(page)
      await dialog.getByLabel(text('joinTotal'), { exact: true }).fill('0.2')
      await send('join')
      await expect(page).toHaveURL(/pool=mobile/)
      await expect(card).toContainText(/200[,.]00.(МБ|MB)/)
    })
  })
