/**
 * The desk's pages Shop, Places and Settings: a text is published after a preview, places are imported after
 * a preview, a setting is changed with a reason.
 */
import {
  deskOrigin,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  origin,
  test,
  words,
} from './shop.ts'
import { askAboutPlaces } from './operator.ts'
import { member } from './staff.ts'

test.use({ locale: 'en-US' })

const texts = (namespace: string) => {
  const known = words('en', namespace)
  return (key: string) => known[key] ?? `no text ${key}`
}
const desk = texts('desk')
const shop = texts('deskShop')
const places = texts('deskPlaces')
const settings = texts('deskSettings')

test('a text is drafted, previewed, published, and restored', async ({ page }) => {
  await member(page, 'texteditor', 'operator')
  const site = async () => {
    const answer = await page.request.get(`${origin()}/api/rpc/site`, {
      headers: { 'accept-language': 'en' },
    })
    return ((await answer.json()) as { home: { heading: string | null } }).home.heading
  }
  await page.goto(`${deskOrigin()}/shop?tab=home`)
  const english = page.getByRole('group', { name: shop('shop.in.en') }).first()
  await english.getByLabel(shop('home.heading'), { exact: true }).fill('Roads by the meter')
  const preview = page.getByRole('region', { name: shop('shop.preview') })
  await preview.getByRole('radio', { name: shop('shop.in.en') }).check()
  await expect(preview.getByText('Roads by the meter')).toBeVisible()
  await page.getByRole('button', { name: shop('shop.save') }).click()
  await expect(page.getByText(shop('shop.draft'), { exact: true })).toBeVisible()
  expect(await site()).toBeNull()
  await expectAccessibleEverywhere(page)
  await page.getByRole('button', { name: shop('shop.publish'), exact: true }).click()
  await expect(page.getByText(shop('shop.published'), { exact: true })).toBeVisible()
  expect(await site()).toBe('Roads by the meter')
  await page.getByRole('button', { name: shop('shop.undo') }).click()
  await expect(page.getByRole('button', { name: shop('shop.undo') })).toHaveCount(0)
  expect(await site()).toBeNull()
  await page.goto(`${deskOrigin()}/shop?tab=history&part=home`)
  await expect(page.locator('tbody tr')).toHaveCount(3)
  await expectAccessibleEverywhere(page)
})

test('a draft that another member has saved meanwhile is not replaced unseen', async ({ page, browser }) => {
  await member(page, 'draftreader', 'operator')
  const context = await browser.newContext({ locale: 'en-US' })
  const other = await context.newPage()
  await member(other, 'draftwriter', 'operator')
  const heading = (of: typeof page) =>
    of
      .getByRole('group', { name: shop('shop.in.en') })
      .first()
      .getByLabel(shop('home.heading'), { exact: true })
  const press = (of: typeof page, key: string) =>
    of.getByRole('button', { name: shop(key), exact: true }).click()
  const isDraft = (of: typeof page) => expect(of.getByText(shop('shop.draft'), { exact: true })).toBeVisible()
  for (const each of [page, other]) await each.goto(`${deskOrigin()}/shop?tab=home`)
  // Typed over no draft; a page that is looked at again reads the draft, and keeps what is typed.
  await heading(page).fill('Mine')
  await heading(other).fill('Theirs')
  await press(other, 'shop.save')
  await isDraft(other)
  await press(page, 'shop.save')
  await expect(page.getByText(/Another member of staff has changed or removed the draft/)).toBeVisible()
  await expect(heading(page)).toHaveValue('Mine')
  await expectAccessible(page)
  await press(page, 'shop.forget')
  await expect(heading(page)).toHaveValue('Theirs')
  await press(page, 'shop.discard')
  await expect(page.getByText(shop('shop.published'), { exact: true })).toBeVisible()
  await context.close()
})

test('a CSV is checked and compared before it is imported, and can be reverted', async ({ page }) => {
  await member(page, 'placekeeper', 'owner')
  await page.goto(`${deskOrigin()}/places`)
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await expectAccessibleEverywhere(page)
  const csv = (text: string) => ({ name: 'places.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  const importing = async (text: string) => {
    await page.getByRole('button', { name: places('places.import') }).click()
    await page.getByRole('dialog').getByLabel(places('places.file')).setInputFiles(csv(text))
  }
  const dialog = page.getByRole('dialog')
  await importing('pool,country,count\nmobile,xx,many\n')
  await expect(dialog.getByText(/Line 2, column country/)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel(places('places.file')).setInputFiles(csv('pool,country,count\nmobile,is,777\n'))
  await expect(dialog.getByText('Places added: 1, removed: 0, changed: 0.')).toBeVisible()
  await dialog.getByRole('button', { name: places('places.doImport') }).click()
  await expect(dialog).toHaveCount(0)
  await importing('pool,country,count\nmobile,is,5\n')
  await expect(dialog.getByText('Places added: 0, removed: 0, changed: 1.')).toBeVisible()
  await dialog.getByRole('button', { name: places('places.doImport') }).click()
  await expect(dialog).toHaveCount(0)
  await page.goto(`${deskOrigin()}/places?tab=sources`)
  await page.getByRole('button', { name: places('places.goBack') }).click()
  await dialog.getByRole('button', { name: places('places.goBack') }).click()
  await expect(dialog).toHaveCount(0)
  await expectAccessibleEverywhere(page)
  await page.goto(`${deskOrigin()}/places?source=own`)
  await expect(page.getByRole('cell', { name: '777' })).toBeVisible()
})

test('a list of a seller’s places is decided on as it was shown', async ({ page }) => {
  const sellers = texts('deskSellers')
  const label = 'shrinking'
  await askAboutPlaces(label, { rows: 12, addresses: 1200 })
  await member(page, 'placejudge', 'owner')
  await page.goto(`${deskOrigin()}/exits?tab=accounts`)
  const row = page.getByRole('row').filter({ hasText: label })
  await row.getByRole('button', { name: sellers('sellers.decide') }).click()
  const dialog = page.getByRole('dialog')
  await expect(
    dialog.getByText('There were 40 (4,000 addresses); the seller now lists 12 (1,200 addresses).'),
  ).toBeVisible()
  await expectAccessibleEverywhere(page)
  await askAboutPlaces(label, { rows: 3, addresses: 30 })
  const keep = dialog.getByRole('button', { name: sellers('sellers.keep'), exact: true })
  await keep.click()
  await expect(
    dialog.getByText('The seller has sent a different list of places in the meantime.'),
  ).toBeVisible()
  await expect(dialog.getByText('the seller now lists 3 (30 addresses)')).toBeVisible()
  await expectAccessible(page)
  await keep.click()
  await expect(dialog).toHaveCount(0)
  await expect(row.getByText(sellers('sellers.askedShort'))).toHaveCount(0)
})

test('a setting is changed for a reason, and stays in the history', async ({ page }) => {
  await member(page, 'settingskeeper', 'owner')
  await page.goto(`${deskOrigin()}/settings`)
  const named = settings('settings.changeNamed').replace('{{name}}', settings('setting.letters_days'))
  await page.getByRole('button', { name: named }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(settings('settings.value')).fill('60')
  await dialog.getByLabel(desk('reason.label')).fill('the accountant asked')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: settings('settings.save') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('60 days')).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.getByRole('radio', { name: settings('settings.tab.history') }).check()
  await expect(page.getByText('the accountant asked')).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.goto(`${deskOrigin()}/settings?tab=environment&text=SECRET_KEY`)
  await expect(page.getByText('SECRET_KEY', { exact: true })).toBeVisible()
  await expectAccessibleEverywhere(page)
})
