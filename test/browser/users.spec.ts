/** Proxy users: made, limited, frozen and deleted in the account. */
import { buy, expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'

const ru = words('ru', 'proxyUsers')
const panel = words('ru', 'userPanel')
const text = (key: string, values: Record<string, string> = {}) =>
  (ru[key] ?? '').replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')

test('a proxy user is made, limited, frozen, given a new password and deleted', async ({ page }) => {
  const { token } = await signedIn(page)
  await page.goto(`${origin()}/account?tab=proxyUsers`)
  await expect(page.getByText(text('noPool'))).toBeVisible()
  await expectAccessible(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.reload()
  await expect(page.getByText(text('empty'))).toBeVisible()

  const dialog = page.getByRole('dialog')
  const field = (name: string) => dialog.getByLabel(text(name), { exact: true })
  await page.getByRole('button', { name: text('create') }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: text('make') }).click()
  await expect(field('label')).toHaveAccessibleDescription(text('wrong.label'))
  await field('label').fill('Анна')
  await field('total').fill('1,5')
  await field('addresses').fill('home')
  await dialog.getByRole('button', { name: text('make') }).click()
  await expect(page.getByText('«home»')).toBeVisible()
  await field('addresses').fill('203.0.113.7/24')
  await dialog.getByRole('button', { name: text('make') }).click()
  await expect(dialog).toBeHidden()

  const card = page.getByRole('listitem', { name: 'Анна' })
  await expect(card).toContainText(text('stateOf.active'))
  await expect(card).toContainText('203.0.113.0/24')
  await expectAccessible(page)
  await card.getByRole('switch').click()
  await expect(card).toContainText(text('stateOf.frozen'))

  await card.getByRole('button', { name: text('editOf', { label: 'Анна' }) }).click()
  await expect(field('total')).toHaveValue('1.5')
  await field('label').fill('Анна Б.')
  await dialog.getByRole('button', { name: text('save') }).click()
  await expect(dialog).toBeHidden()
  const renamed = page.getByRole('listitem', { name: 'Анна Б.' })

  await renamed.getByRole('button', { name: text('usageOf', { label: 'Анна Б.' }) }).click()
  await expect(dialog.getByRole('row')).toHaveCount(31)
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await renamed.getByRole('button', { name: text('renewOf', { label: 'Анна Б.' }) }).click()
  await dialog.getByRole('button', { name: text('renew') }).click()
  await expect(page.getByText(text('renewed'))).toBeVisible()

  await page.goto(`${origin()}/account?tab=panel`)
  await expect(page.getByLabel(panel['whose.label'] ?? '')).toContainText('Анна Б.')
  await page.goto(`${origin()}/account?tab=proxyUsers`)
  await renamed.getByRole('button', { name: text('deleteOf', { label: 'Анна Б.' }) }).click()
  await dialog.getByRole('button', { name: text('delete'), exact: true }).click()
  await expect(page.getByText(text('empty'))).toBeVisible()
})
