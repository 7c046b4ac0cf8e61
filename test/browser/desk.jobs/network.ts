/** Jobs about exits. */
import { expect, openPage, type Walk, expectWhole } from './walk.ts'

/** Switches off the exit that an alert leads to. `url`: the address in the alert. */
export async function switchOff(walk: Walk, url: string, name: string): Promise<void> {
  const { page, t, dialog } = walk
  await page.goto(url)
  await expect(dialog.getByRole('heading', { name, exact: true })).toBeVisible()
  await expect(dialog.getByText(t.pages('health.state.down')).first()).toBeVisible()
  await walk.look('alert')
  await dialog.getByRole('radio', { name: t.pages('exits.off'), exact: true }).check()
  await dialog.getByRole('button', { name: t.pages('exits.save') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText(t.pages('health.state.off'))
  await expectWhole(walk)
}

/** Sets what a GB through an exit costs from today on. */
export async function setCost(walk: Walk, name: string, perGb: string): Promise<void> {
  const { page, t, dialog } = walk
  await openPage(walk, 'exits')
  // A phone has no room for the column of costs.
  if (walk.width === 'desktop')
    await page.getByRole('button', { name: t.exits('cost.title', { name }) }).click()
  else {
    await page.getByRole('button', { name, exact: true }).click()
    await dialog.getByRole('button', { name: t.exits('cost.open') }).click()
  }
  await dialog.getByLabel(t.exits('cost.perGb'), { exact: true }).fill(perGb)
  await walk.look('cost')
  await dialog.getByRole('button', { name: t.exits('cost.save') }).click()
  await expect(dialog).toHaveCount(0)
}

/** Reads what a sale of this pool earns from now on. */
export async function readMargin(walk: Walk, pool: string): Promise<void> {
  const { page, t } = walk
  await openPage(walk, 'prices')
  const earned = page.getByRole('region', { name: t.pages('prices.tierMargin') })
  await expect(earned.getByRole('row', { name: t.header(`pools.${pool}`) }).first()).toBeVisible()
  await walk.look('margin')
}
