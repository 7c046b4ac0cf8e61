/**
 * The account's command palette, used by the keyboard alone: it finds pages by name and runs commands of the
 * generator.
 */
import type { Page } from '@playwright/test'
import { languagesFrom } from './screens.ts'
import { buy, expect, expectAccessibleEverywhere, origin, signedIn, test, words } from './shop.ts'

const field = (page: Page) => page.getByRole('dialog').getByRole('combobox')
const options = (page: Page) => page.getByRole('dialog').getByRole('option')

for (const language of languagesFrom('en'))
  test.describe(language, () => {
    test.use({ locale: language })
    const text = words(language, 'palette')
    const panel = words(language, 'userPanel')
    const command =
      language === 'ru'
        ? 'германия 20 строк липкие 10 минут чепуха'
        : 'nonsense germany sticky 20 lines 10 minutes'

    test('opens pages and the generator, and gives the focus back', async ({ page }) => {
      const { token } = await signedIn(page, language)
      await buy(page, token, { pool: 'residential', amount: 1 })
      await page.goto(`${origin()}/account`)
      const button = page.getByRole('button', { name: words(language, 'userBtns')['find'] ?? '' })
      await button.focus()
      await page.keyboard.press('ControlOrMeta+k')
      await expect(field(page)).toBeFocused()
      await expectAccessibleEverywhere(page)
      await page.keyboard.press('Escape')
      await expect(button).toBeFocused()

      await page.keyboard.press('ControlOrMeta+k')
      await field(page).fill(command)
      await expect(options(page).first()).toContainText(language === 'ru' ? 'Германия' : 'Germany')
      await expect(options(page).first()).toContainText(language === 'ru' ? 'чепуха' : 'nonsense')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/tab=panel&countries=de&session=sticky&minutes=10&lines=20$/)
      await expect(page.getByLabel(panel['output.quantity'] ?? '')).toHaveValue('20')
      await expect(page.getByLabel(panel['connection.interval'] ?? '')).toHaveValue('10')

      await page.keyboard.press('ControlOrMeta+k')
      const [invoice] = (await (
        await page.request.get(`${origin()}/api/rpc/invoices`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).json()) as [{ number: string }]
      await field(page).fill(invoice.number)
      await expect(options(page)).toHaveCount(1)
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/invoice=/)

      await page.keyboard.press('ControlOrMeta+k')
      await field(page).fill('get_proxy')
      await expect(options(page).first()).toContainText(text['call'] ?? '')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/\/docs#get_proxy$/)

      // On the documentation and the order page too; the number of a request leads to it.
      for (const path of ['/docs', '/purchase']) {
        await page.goto(`${origin()}${language === 'en' && path === '/docs' ? '/en' : ''}${path}`)
        await expect
          .poll(async () => {
            await page.keyboard.press('ControlOrMeta+k')
            return field(page).isVisible()
          })
          .toBe(true)
        await field(page).fill('F3B0C6DE-7d5c-4c3e-9a39-0b8a4f1d2c77')
        await expect(options(page)).toHaveCount(1)
        await page.keyboard.press('Enter')
        await expect(page).toHaveURL(/request=f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77$/)
      }
    })

    test('finds pages by the words that people type', async ({ page }) => {
      const title = words(language, 'userBtns')
      await signedIn(page, language)
      await page.goto(`${origin()}/account`)
      await page.getByRole('button', { name: title['find'] ?? '' }).click()
      const found =
        language === 'ru'
          ? { перевод: 'moves', подарить: 'moves', лимит: 'limits', socks5: 'panel' }
          : { transfer: 'moves', gift: 'moves', limit: 'limits', socks5: 'panel' }
      for (const [typed, tab] of Object.entries(found)) {
        await field(page).fill(typed)
        await expect(options(page).first()).toContainText(title[`title.${tab}`] ?? '')
      }
    })

    test('is opened by its button on a phone, and leads by a touch', async ({ page }) => {
      await page.setViewportSize({ width: 390, height: 844 })
      const { token } = await signedIn(page, language)
      await buy(page, token, { pool: 'residential', amount: 1 })
      await page.goto(`${origin()}/account`)
      await page.getByRole('button', { name: words(language, 'userBtns')['find'] ?? '' }).click()
      await field(page).fill(command)
      await expectAccessibleEverywhere(page)
      await options(page).first().click()
      await expect(page).toHaveURL(/tab=panel&countries=de&session=sticky&minutes=10&lines=20$/)
      await expect(page.getByLabel(panel['output.quantity'] ?? '')).toHaveValue('20')
    })
  })
