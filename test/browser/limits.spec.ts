/** The limits of a pool's password, set in their tab. */
import { buy, expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'

const ru = words('ru', 'userPanel')
const text = (key: string) => ru[`limits.${key}`] ?? ''

test('limits are set, stored, and refused with the reason', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=limits`)
  const field = (name: string) => page.getByLabel(text(name), { exact: true })
  const save = page.getByRole('button', { name: text('save') })
  await expect(field('day')).toHaveAccessibleDescription(/0/)
  await expectAccessible(page)

  await field('day').fill('много')
  await save.click()
  await expect(field('day')).toHaveAccessibleDescription(text('number'))

  await field('day').fill('2,5')
  await field('connections').fill('10')
  await field('denied').fill('http://bad')
  await save.click()
  await expect(page.getByText('«http://bad»').first()).toBeVisible()
  await expect(field('denied')).toHaveAccessibleDescription(/«http:\/\/bad»/)
  await expect(field('denied')).toBeFocused()
  await expect(field('allowed')).not.toHaveAttribute('aria-invalid', 'true')

  await field('denied').fill('*.Video.example ads.example')
  await page.getByLabel(text('saver')).check()
  await save.click()
  await expect(page.getByText(text('saved'))).toBeVisible()
  await expect(field('denied')).toHaveValue('*.video.example, ads.example')

  await page.reload()
  await expect(field('day')).toHaveValue('2,5')
  await expect(field('hour')).toHaveValue('')
  await expect(field('connections')).toHaveValue('10')
  await expect(page.getByLabel(text('saver'))).toBeChecked()
})
