/**
 * The generator: product.md sections 2 (panel), 4 (selection, reloads, reset, generation), 5 and 9 (limits).
 */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { buy, expect, expectAccessible, filled, origin, signedIn, test, words } from './shop.ts'

const ru = words('ru', 'userPanel')
const text = (key: string, values: Record<string, string> = {}) => filled(ru[key] ?? `no text ${key}`, values)
const poolName = (pool: string) => words('ru', 'header')[`pools.${pool}`] ?? ''
const window = (page: Page) => page.getByRole('dialog')
const summary = (page: Page) => page.getByRole('region', { name: text('summary.title') })
const generate = (page: Page) => page.getByRole('button', { name: text('summary.generate') }).click()

/** The card of a pool: its name, then its balance. */
const lane = (page: Page, pool: string) =>
  page.getByRole('radio', { name: new RegExp(String.raw`^${poolName(pool)}\s\d`) })

/** The button of a row that opens its picker; its name begins with the row's. */
const row = (page: Page, label: string) => page.getByRole('button', { name: new RegExp(`^${text(label)}:`) })

async function openPanel(page: Page, pools: string[] = ['residential']): Promise<string> {
  const { token } = await signedIn(page)
  for (const pool of pools) await buy(page, token, { pool, amount: 1 })
  await page.goto(`${origin()}/account?tab=panel`)
  await summary(page)
    .getByRole('button', { name: words('ru', 'generator')['summary.showAll'] ?? '' })
    .click()
  return token
}

/** Picks rows by the text typed for each, and confirms. */
async function pick(page: Page, label: string, ...searches: string[]): Promise<void> {
  await row(page, label).click()
  for (const typed of searches) {
    await window(page).getByRole('combobox').fill(typed)
    await window(page).getByRole('option').first().click()
  }
  await window(page)
    .getByRole('button', { name: text('picker.confirm') })
    .click()
  await expect(window(page)).toBeHidden()
}

const fact = (page: Page, key: string) =>
  summary(page)
    .locator('dl > div')
    .filter({ has: page.getByText(text(key), { exact: true }) })
    .locator('dd')

const stored = (page: Page) => page.evaluate(() => localStorage.getItem('panel-settings'))

test('a pool without traffic is disabled with the reason; a saved pool without traffic is replaced by a usable one', async ({
  page,
}) => {
  await openPanel(page, ['mobile'])
  await expect(lane(page, 'mobile')).toBeChecked()
  for (const pool of ['residential', 'residential_premium', 'datacenter']) {
    await expect(lane(page, pool)).toBeDisabled()
    const reason = page.getByRole('group', { name: poolName(pool), exact: true })
    await expect(reason).toHaveAccessibleDescription(text('pool.closed'))
  }
  await page.getByRole('group', { name: poolName('datacenter'), exact: true }).focus()
  await expect(page.getByText(text('pool.closed')).last()).toBeVisible()
  await expectAccessible(page)
})

test('states, cities, zip codes and ASNs require a country; settings that double the tariff are marked', async ({
  page,
}) => {
  await openPanel(page)
  const later = ['place.states', 'place.cities', 'place.zipcodes', 'network.include', 'network.exclude']
  for (const label of later) {
    await expect(row(page, label)).toBeDisabled()
    await expect(page.getByRole('group', { name: text(label), exact: true })).toHaveAccessibleDescription(
      text('place.countryFirst'),
    )
  }
  await expect(page.getByTitle(text('place.doubleLong'))).toHaveCount(4)
  await pick(page, 'place.countries', 'Германия')
  for (const label of later) await expect(row(page, label)).toBeEnabled()
  await expect(fact(page, 'summary.tariff')).toHaveText(text('summary.single'))
  await row(page, 'place.states').click()
  await expect(window(page)).toContainText(text('place.doubleLong'))
  await page.keyboard.press('Escape')
  await pick(page, 'place.states', '')
  await expect(fact(page, 'summary.tariff')).toHaveText(text('summary.double'))
})

test('a picker searches in both languages, shows flags and counts, and applies only when confirmed', async ({
  page,
}) => {
  await openPanel(page)
  await row(page, 'place.countries').click()
  const options = window(page).getByRole('option')
  const box = window(page).getByRole('combobox')
  await expect(box).toBeFocused()
  for (const typed of ['Герм', 'germ', 'de']) {
    await box.fill(typed)
    await expect(options.filter({ hasText: 'Германия' })).toHaveCount(1)
  }
  await expect(options.filter({ hasText: 'Германия' }).locator('use')).toHaveAttribute('href', /#de$/)
  await expect(options.filter({ hasText: 'Германия' })).toHaveText(/Германия.*\d/)
  // The demo's numbers are marked as such.
  await expect(window(page)).toContainText(words('ru', 'header')['demo'] ?? 'no text')
  await options.filter({ hasText: 'Германия' }).click()
  // After a choice a new search begins: the text is cleared, the list is complete, the field has the focus.
  await expect(box).toHaveValue('')
  await expect(box).toBeFocused()
  await expect.poll(() => options.count()).toBeGreaterThan(5)
  await box.fill('Франц')
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('')
  const chosen = window(page).getByRole('list', { name: text('picker.chosen') })
  await expect(chosen).toContainText('Германия')
  await expect(chosen).toContainText('Франция')
  await page.keyboard.press('Escape')
  await expect(row(page, 'place.countries')).toBeFocused()
  await expect(fact(page, 'summary.countries')).toHaveText(text('summary.all'))

  await pick(page, 'place.countries', 'Германия', 'Франция')
  await expect(fact(page, 'summary.countries')).toHaveText(/Германия, Франция/)
  await row(page, 'place.countries').click()
  await chosen.getByRole('button', { name: text('picker.remove', { name: 'Франция' }) }).click()
  await expect(chosen.getByRole('listitem')).toHaveCount(1)
  await window(page)
    .getByRole('button', { name: text('picker.clear') })
    .click()
  await expect(chosen).toHaveCount(0)
  await window(page)
    .getByRole('button', { name: text('picker.confirm') })
    .click()
  await expect(fact(page, 'summary.countries')).toHaveText(text('summary.all'))
})

test('removing a country removes its states and cities, removing a state its cities', async ({ page }) => {
  await openPanel(page)
  await pick(page, 'place.countries', 'США', 'Германия')
  await pick(page, 'place.states', 'Калифорния', 'Бавария')
  await pick(page, 'place.cities', 'Лос-Анджелес', 'Мюнхен')
  await expect(fact(page, 'summary.states')).toHaveText('Калифорния, Бавария')
  await expect(fact(page, 'summary.cities')).toHaveText('Лос-Анджелес, Мюнхен')

  await row(page, 'place.states').click()
  await window(page)
    .getByRole('button', { name: text('picker.remove', { name: 'Бавария' }) })
    .click()
  await window(page)
    .getByRole('button', { name: text('picker.confirm') })
    .click()
  await expect(fact(page, 'summary.cities')).toHaveText('Лос-Анджелес')

  await row(page, 'place.countries').click()
  await window(page)
    .getByRole('button', { name: text('picker.remove', { name: 'США' }) })
    .click()
  await window(page)
    .getByRole('button', { name: text('picker.confirm') })
    .click()
  await expect(fact(page, 'summary.states')).toHaveText(text('summary.any'))
  await expect(fact(page, 'summary.cities')).toHaveText(text('summary.any'))
})

test('lists are requested again when the choices they depend on change', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => {
    const list = /get_gateway_proxy_(\w+)/.exec(request.url())?.[1]
    if (list !== undefined) asked.push(list)
  })
  await openPanel(page, ['residential', 'mobile'])
  await expect.poll(() => asked).toEqual(['countries'])
  asked.length = 0
  await pick(page, 'place.countries', 'США')
  await expect.poll(() => new Set(asked)).toEqual(new Set(['states', 'cities', 'asns', 'zipcodes']))
  asked.length = 0
  await pick(page, 'place.states', 'Калифорния')
  await expect.poll(() => new Set(asked)).toEqual(new Set(['cities', 'asns', 'zipcodes']))
  asked.length = 0
  await lane(page, 'mobile').check({ force: true })
  await expect.poll(() => asked).toContain('countries')
  await page.getByRole('button', { name: text('summary.reset') }).click()
  await page.waitForLoadState('networkidle')
  await expect(row(page, 'place.states')).toBeDisabled()
})

test('a zip code is typed or chosen from the list, blank ones are ignored', async ({ page }) => {
  await openPanel(page)
  await pick(page, 'place.countries', 'США')
  await row(page, 'place.zipcodes').click()
  const box = window(page).getByRole('combobox')
  const add = window(page).getByRole('button', { name: text('picker.add') })
  const chips = window(page)
    .getByRole('list', { name: text('picker.chosen') })
    .getByRole('listitem')
  await box.fill('   ')
  await expect(add).toBeDisabled()
  await box.fill(' 90001 ')
  await box.press('Enter')
  await expect(chips).toHaveText(['90001'])
  await expect(box).toHaveValue('')
  await box.fill('10001')
  await add.click()
  await expect(chips).toHaveText(['90001', '10001'])
  const options = window(page).getByRole('option')
  const spare = window(page).locator('[role=option][aria-selected=false]').first()
  const code = /^\S+/.exec((await spare.textContent()) ?? '')?.[0] ?? ''
  await box.fill(code.slice(0, 3))
  await expect(options.first()).toContainText(code.slice(0, 3))
  for (const option of await options.all()) await expect(option).toContainText(code.slice(0, 3))
  await spare.click()
  await expect(chips).toHaveCount(3)
  await window(page)
    .getByRole('button', { name: text('picker.confirm') })
    .click()
  await expect(fact(page, 'summary.zipcodes')).toContainText('90001, 10001')
})

test('networks are found by name, without a match the whole list stays, and one is never both included and excluded', async ({
  page,
}) => {
  await openPanel(page)
  await pick(page, 'place.countries', 'Германия')
  await row(page, 'network.include').click()
  const options = window(page).getByRole('option')
  await expect(options.first()).toHaveText(/^AS\d+ .*\d$/)
  const all = await options.first().getAttribute('aria-setsize')
  await window(page).getByRole('combobox').fill('telekom')
  await expect(options.first()).toContainText(/telekom/i)
  await window(page).getByRole('combobox').fill('no network is called so')
  await expect(options.first()).toHaveAttribute('aria-setsize', all ?? '')
  await page.keyboard.press('Escape')
  await pick(page, 'network.include', 'telekom')
  await expect(fact(page, 'summary.included')).toContainText(/telekom/i)
  await pick(page, 'network.exclude', 'telekom')
  await expect(fact(page, 'summary.excluded')).toContainText(/telekom/i)
  await expect(fact(page, 'summary.included')).toHaveText(text('summary.any'))
})

test('quantity and rotation time accept digits only, a blank value, and at most 10 000', async ({ page }) => {
  await openPanel(page)
  for (const [label, key] of [
    ['output.quantity', 'summary.quantity'],
    ['connection.interval', 'summary.interval'],
  ] as const) {
    const field = page.getByLabel(text(label), { exact: true })
    await field.fill('1a2-b')
    await expect(field).toHaveValue('12')
    await field.fill('99999')
    await expect(field).toHaveValue('10000')
    await expect(fact(page, key)).toContainText(/10.000/)
    await field.fill('')
    await expect(field).toHaveValue('')
  }
  await expect(fact(page, 'summary.quantity')).toHaveText('1')
  await expect(fact(page, 'summary.interval')).toHaveText(text('summary.intervalRotating'))
  expect(JSON.parse((await stored(page)) ?? '{}')).toMatchObject({ proxy_amount: 0, interval: 0 })
})

test('settings are saved, restored, reset to the defaults and removed, and the reset can be undone', async ({
  page,
}) => {
  await openPanel(page)
  await pick(page, 'place.countries', 'Германия')
  await page.getByRole('radio', { name: 'SOCKS5', exact: true }).check({ force: true })
  await page.getByRole('radio', { name: text('connection.sticky') }).check({ force: true })
  await page.getByRole('radio', { name: text('connection.anonOff') }).check({ force: true })
  await page.getByRole('radio', { name: text('region.jpn') }).check({ force: true })
  await row(page, 'output.format').click()
  await expect(window(page).getByRole('radio')).toHaveCount(5)
  await window(page).getByRole('radio', { name: 'login:password@hostname:port' }).check({ force: true })
  await window(page)
    .getByRole('button', { name: text('picker.confirm') })
    .click()
  const whole = {
    countries: [{ code: 'de' }],
    protocol: 'socks5',
    session_type: 'sticky',
    anon: false,
    region: 'jpn',
  }
  expect(JSON.parse((await stored(page)) ?? '{}')).toMatchObject({
    ...whole,
    access_format: 'login:password@hostname:port',
  })
  await page.reload()
  await expect(fact(page, 'summary.countries')).toHaveText('Германия')
  await expect(fact(page, 'summary.protocol')).toHaveText('SOCKS5')
  await expect(fact(page, 'summary.region')).toHaveText(text('region.jpn'))
  await expect(fact(page, 'summary.format')).toHaveText('login:password@hostname:port')

  await page.getByRole('button', { name: text('summary.reset') }).click()
  // Settings that are the default are not listed.
  for (const key of ['summary.countries', 'summary.protocol', 'summary.anon'])
    await expect(fact(page, key)).toHaveCount(0)
  expect(await stored(page)).toBeNull()
  await page.getByRole('button', { name: text('summary.undo') }).click()
  await expect(fact(page, 'summary.countries')).toHaveText('Германия')
})

test('up to 20 lines are shown, to be copied one by one or all together, or saved', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  await openPanel(page)
  await page.getByLabel(text('output.quantity'), { exact: true }).fill('20')
  await generate(page)
  const lines = window(page)
    .getByRole('list', { name: text('result.list') })
    .getByRole('listitem')
  await expect(lines).toHaveCount(20)
  const shown = await lines.locator('code').allTextContents()
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await window(page)
    .getByRole('button', { name: text('result.copyLine', { number: '3' }), exact: true })
    .click()
  await expect.poll(clipboard).toBe(shown[2])
  await window(page)
    .getByRole('button', { name: text('result.copyAll') })
    .click()
  await expect.poll(clipboard).toBe(shown.join('\n'))
  const downloading = page.waitForEvent('download')
  await window(page)
    .getByRole('button', { name: text('result.download') })
    .click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('proxies.txt')
  expect(readFileSync(await download.path(), 'utf8')).toBe(`${shown.join('\n')}\n`)
})

test('above 20 lines the file proxies.txt is downloaded automatically, with a notice', async ({ page }) => {
  await openPanel(page)
  await page.getByLabel(text('output.quantity'), { exact: true }).fill('21')
  const downloading = page.waitForEvent('download')
  await generate(page)
  const download = await downloading
  expect(download.suggestedFilename()).toBe('proxies.txt')
  expect(
    readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n'),
  ).toHaveLength(21)
  await expect(page.getByText(text('result.ready'))).toBeVisible()
  await expect(window(page)).toHaveCount(0)
})

test('a pool never bought has no login to generate with', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/account?tab=panel`)
  await expect(page.getByText(text('pool.allClosedText'))).toBeVisible()
  await generate(page)
  await expect(page.getByText(text('faults.access'))).toBeVisible()
})

test('a refusal of the server is shown with the server’s sentence', async ({ page }) => {
  await openPanel(page)
  await pick(page, 'place.countries', 'Германия')
  await row(page, 'place.zipcodes').click()
  await window(page).getByRole('combobox').fill('nowhere at all')
  await window(page).getByRole('combobox').press('Enter')
  await window(page)
    .getByRole('button', { name: text('picker.confirm') })
    .click()
  const refusing = page.waitForResponse(
    (response) => response.url().endsWith('/rpc/get_proxy') && !response.ok(),
  )
  await generate(page)
  const refusal = (await (await refusing).json()) as { message: string }
  // The line beside the settings, which follows each change, may show the same refusal.
  const notices = page.getByRole('region', { name: 'Уведомления' })
  await expect(notices.getByText(refusal.message)).toBeVisible()
})

test('a list that fails to load is reported once, and loads on a retry', async ({ page }) => {
  let answers = false
  await page.route('**/get_gateway_proxy_countries**', (route) =>
    answers ? route.continue() : route.abort(),
  )
  await openPanel(page)
  await expect(page.getByText(text('faults.list'))).toBeVisible()
  await row(page, 'place.countries').click()
  await expect(window(page).getByText(text('picker.failed'))).toBeVisible()
  await expectAccessible(page)
  answers = true
  await window(page)
    .getByRole('button', { name: text('picker.retry') })
    .click()
  await expect(window(page).getByRole('option').first()).toBeVisible()
})
