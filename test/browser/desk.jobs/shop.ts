/** Jobs about the shop: promo codes and banners. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator } from '@playwright/test'
import { downloaded, expect, openPage, type Walk } from './walk.ts'

/** The picture of a banner of the demo. */
const picture = path.resolve(import.meta.dirname, '../../../src/content/demo/friends.png')

/** Makes 50 promo codes as a named batch, saves them as a file, and stops all of them. */
export async function makeCodes(walk: Walk, batch: string): Promise<void> {
  const { page, t, dialog } = walk
  await openPage(walk, 'promo')
  await page.getByRole('button', { name: t.pages('promo.create') }).click()
  await dialog.getByRole('radio', { name: t.pages('promo.batch') }).check()
  await dialog.getByLabel(t.pages('promo.batchName')).fill(batch)
  await dialog.getByLabel(t.pages('promo.prefix')).fill('WALK-')
  await dialog.getByLabel(t.pages('promo.count'), { exact: true }).fill('50')
  await dialog.getByLabel(t.pages('promo.percent')).fill('15')
  await walk.look('batch')
  await dialog.getByRole('button', { name: t.pages('promo.makeBatch') }).click()
  const file = await downloaded(walk, () => dialog.getByRole('button', { name: t.desk('table.csv') }).click())
  const rows = readFileSync(file, 'utf8').trim().split('\r\n')
  expect(rows).toHaveLength(51)
  expect(new Set(rows.slice(1).map((code) => code.slice(0, 5)))).toEqual(new Set(['WALK-']))
  await walk.look('made')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: batch, exact: true }).first().click()
  await page.getByRole('button', { name: t.pages('promo.stopBatch') }).click()
  await walk.look('stop')
  await dialog.getByRole('button', { name: t.pages('promo.stopBatch') }).click()
  await expect(dialog).toHaveCount(0)
  const stopped = page.locator('tbody').getByText(t.pages('promo.state.disabled'), { exact: true })
  await expect(stopped).toHaveCount(50)
}

/** Opens the dialog of a new banner. */
export async function beginBanner(walk: Walk): Promise<void> {
  const { page, t } = walk
  await openPage(walk, 'shop')
  await page.getByRole('radio', { name: t.shop('shop.tab.banners'), exact: true }).check()
  await page.getByRole('button', { name: t.shop('banners.add') }).click()
}

/** The field of the picture's description in a language. */
export const altOf = ({ dialog, t }: Walk, language: 'ru' | 'en'): Locator =>
  dialog.getByRole('group', { name: t.shop(`shop.in.${language}`) }).getByLabel(t.shop('banners.alt'))

/** Fills in the new banner, with a text in each language, and publishes it. */
export async function publishBanner(walk: Walk): Promise<void> {
  const { page, t, dialog, language } = walk
  const chooser = dialog.getByLabel(t.shop('banners.picture'))
  // The button is there for the keyboard too. The dialog takes the focus when it opens: the key goes to the field.
  const opened = page.waitForEvent('filechooser', { timeout: 20_000 })
  await chooser.press('Enter')
  await (await opened).setFiles(picture)
  await expect(dialog.getByText('friends.png')).toBeVisible()
  await expect(dialog.getByText(t.shop('banners.wrongType'))).toHaveCount(0)
  await altOf(walk, language).fill('Night rates')
  await altOf(walk, language === 'en' ? 'ru' : 'en').fill('Another language')
  await dialog.getByLabel(t.shop('banners.link')).fill('/purchase')
  const preview = dialog.getByRole('region', { name: t.shop('shop.preview') })
  await expect(preview.getByRole('img', { name: 'Night rates' })).toBeVisible()
  await walk.look('banner')
  await dialog.getByRole('button', { name: t.shop('banners.publish') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('img', { name: 'Night rates' })).toBeVisible()
}

export async function removeBanner({ page, t, dialog }: Walk): Promise<void> {
  await page.getByRole('button', { name: t.shop('shop.removeNamed', { name: 'Night rates' }) }).click()
  await dialog.getByRole('button', { name: t.shop('shop.remove') }).click()
  await expect(page.getByRole('img', { name: 'Night rates' })).toHaveCount(0)
}
