/**
 * The set-up of a shop at the desk: an owner is led through the steps; a payment processor is
 * connected, tested and disconnected there.
 */
import { connections } from '#contract/desk/variables'
import { FakeBtcpay } from '#test/processors/btcpay'
import { deskOrigin, expect, expectAccessible, expectAccessibleEverywhere, test, words } from './shop.ts'
import { join, member } from './staff.ts'

test.use({ locale: 'en-US' })

const texts = (namespace: string) => {
  const known = words('en', namespace)
  return (key: string) => known[key] ?? `no text ${key}`
}
const desk = texts('desk')
const pages = texts('deskPages')
const settings = texts('deskSettings')
const setup = texts('deskSetup')

test('the page of the set-up has the steps with their states, and each leads to its page', async ({
  page,
}) => {
  await join(page, 'first-owner', 'owner', 'en')
  await page.getByRole('button', { name: desk('recovery.done') }).click()
  // A demo needs no set-up: its owner begins with Today, which a shop of one's own links from its top.
  await expect(page.getByRole('heading', { level: 1, name: pages('today.title') })).toBeVisible()
  await page.goto(`${deskOrigin()}/setup`)
  await expect(page.getByRole('heading', { level: 1, name: pages('setup.title') })).toBeVisible()
  const step = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: setup(`step.${name}`) }) })
  await expect(step('account')).toContainText(setup('state.done'))
  await expect(step('brand')).toContainText(setup('state.todo'))
  await expect(step('bot')).toContainText(setup('state.done'))
  await expectAccessibleEverywhere(page, { isPage: true })
  await step('prices').getByRole('link').click()
  await expect(page).toHaveURL(/\/prices$/)
})

test('a step that means a part of a page leads to that part', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await member(page, 'part-finder', 'owner')
  for (const part of ['mail', 'bot'] as const) {
    await page.goto(`${deskOrigin()}/setup`)
    const name = setup('openNamed').replace('{{name}}', setup(`step.${part}`))
    await page.getByRole('link', { name, exact: true }).click()
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: connections[part].name.en, exact: true }) })
    await expect(row).toBeInViewport({ ratio: 1 })
    await expect(row.getByRole('button').first()).toBeFocused()
  }
})

test('a payment processor is connected, tested, and disconnected, without its key being shown again', async ({
  page,
}) => {
  const fake = new FakeBtcpay()
  await fake.start()
  await member(page, 'connector', 'owner')
  await page.goto(`${deskOrigin()}/settings?tab=connections`)
  const { name: names, variables } = connections.crypto
  const name = names.en
  const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
  await expect(row).toContainText(settings('connections.state.none'))
  const dialog = page.getByRole('dialog')
  const field = (variable: keyof typeof variables) =>
    dialog.getByLabel(variables[variable].label.en, { exact: true })
  const change = async (button: string) => {
    await dialog.getByLabel(desk('reason.label')).fill('the shop opens')
    await dialog.getByRole('button', { name: button, exact: true }).last().click()
    await expect(dialog).toHaveCount(0)
  }
  await row.getByRole('button').click()
  await field('BTCPAY_URL').fill(fake.url.origin)
  await field('BTCPAY_API_KEY').fill(fake.apiKey)
  await field('BTCPAY_STORE_ID').fill(fake.storeId)
  await expectAccessibleEverywhere(page)
  // An incomplete set of variables is refused in the form.
  await dialog.getByLabel(desk('reason.label')).fill('the shop opens')
  await dialog.getByRole('button', { name: settings('settings.save') }).click()
  await expect(dialog.getByRole('alert')).toContainText('BTCPAY_WEBHOOK_SECRET')
  await expect(dialog.getByRole('alert')).toContainText(variables.BTCPAY_WEBHOOK_SECRET.label.en)
  await expect(dialog.getByRole('alert')).toBeInViewport({ ratio: 1 })
  await field('BTCPAY_WEBHOOK_SECRET').fill(fake.webhookSecret)
  await change(settings('settings.save'))
  await expect(row).toContainText(settings('connections.state.set'))

  await row.getByRole('button', { name: `${settings('connections.test')}: ${name}` }).click()
  const test = dialog.getByRole('button', { name: settings('connections.test'), exact: true })
  await test.click()
  await expect(dialog.getByRole('status')).toHaveText('BTCPay Server answers and accepts the key.')
  await expect(dialog.getByRole('button', { name: desk('cancel') })).toHaveCount(0)
  await expect(dialog.getByRole('button', { name: desk('close'), exact: true })).toHaveCount(2)
  await expectAccessible(page)
  fake.trouble(401)
  await test.click()
  await expect(dialog.getByRole('status')).toContainText('rejects the key')
  await dialog.getByRole('button', { name: desk('cancel') }).click()

  expect(await page.content()).not.toContain(fake.apiKey)
  await row.getByRole('button', { name: `${settings('settings.change')}: ${name}` }).click()
  await expect(field('BTCPAY_API_KEY')).toHaveValue('')
  await dialog.getByRole('button', { name: settings('connections.disconnect') }).click()
  await change(settings('connections.disconnect'))
  await expect(row).toContainText(settings('connections.state.none'))
  fake.stop()
})
