/** The steps on the desk's pages for its pictures. */
import type { Stage } from '../shot.ts'

export const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The elements that can be pressed: buttons, menu headings, and links that look like them. */
const pressable = (page: Stage['page'], name: string | RegExp) =>
  page
    .locator('button:visible, summary:visible')
    .filter({ hasText: typeof name === 'string' ? new RegExp(`^\\s*${escaped(name)}\\s*$`) : name })
    .first()

/** Presses the elements with these texts, one after another. */
export const pressing =
  (...keys: string[]) =>
  async ({ page, text }: Stage): Promise<void> => {
    for (const key of keys) await pressable(page, text(key)).click()
  }

/** Presses the elements with these texts, then waits for a dialog. */
export const opening =
  (...keys: string[]) =>
  async (stage: Stage): Promise<void> => {
    await pressing(...keys)(stage)
    await stage.dialog.waitFor()
  }

/** Presses the first visible element that matches the selector in a table's row, and waits for the dialog. */
export const opensRow =
  (selector: string) =>
  async ({ page, dialog }: Stage): Promise<void> => {
    await page.locator(`main ${selector}`).filter({ visible: true }).first().click()
    await dialog.waitFor()
  }

/** Sends the form of the open dialog unchanged, to show the errors of its fields. */
export const sent =
  (open: (stage: Stage) => Promise<void>) =>
  async (stage: Stage): Promise<void> => {
    await open(stage)
    await stage.dialog.locator('button[type=submit]').last().click()
  }

export const acts = (act: string) => opening('deskCustomer:acts.more', act)
