/** Jobs about money. */
import { readFileSync } from 'node:fs'
import { choose, downloaded, expect, gb, openPage, type Walk } from './walk.ts'

/** Refunds half of the customer's last invoice, from the customer's page. */
export async function refundHalf(walk: Walk): Promise<void> {
  const { page, t, dialog } = walk
  await choose(walk, t.customer('lists.invoices'))
  await page.locator('tbody a.mono').first().click()
  const number = /\d{4}-\d+/.exec(await page.getByRole('heading', { level: 1 }).innerText())?.[0] ?? ''
  await page.getByRole('button', { name: t.pages('refund.act') }).click()
  await expect(dialog.getByRole('heading', { name: t.pages('refund.title', { number }) })).toBeVisible()
  await dialog.getByRole('radio', { name: t.pages('refund.kind.amount') }).check()
  await dialog.getByRole('button', { name: t.pages('refund.half') }).click()
  await dialog.getByLabel(t.desk('reason.label')).fill('half of it did not work')
  await walk.look('refund')
  await dialog.getByRole('button', { name: t.pages('refund.act') }).click()
  await expect(dialog.getByRole('heading', { name: t.pages('refund.done') })).toBeVisible()
  await walk.look('refunded')
  await page.keyboard.press('Escape')
  await expect(page.getByText(t.pages('invoiceState.partly_refunded'), { exact: true }).first()).toBeVisible()
}

/** Reads the month's sales with the comparison to the ledger, and saves the list and the accountant's file. */
export async function closeMonth(walk: Walk): Promise<void> {
  const { page, t } = walk
  await openPage(walk, 'reports')
  await page.getByLabel(t.money('reports.divide')).selectOption({ label: t.money('reports.by.month') })
  const [equal = ''] = t.money('reports.books.equal', { ledger: '\n' }).split('\n').slice(-1)
  await expect(page.getByText(new RegExp(`${equal.trim()}$`))).toBeVisible()
  await walk.look('sales')
  const list = await downloaded(walk, () => page.getByRole('link', { name: t.desk('table.csv') }).click())
  expect(readFileSync(list, 'utf8').split('\r\n').length).toBeGreaterThan(2)
  const books = await downloaded(walk, () =>
    page.getByRole('link', { name: t.money('books.download') }).click(),
  )
  expect(readFileSync(books).subarray(0, 2).toString()).toBe('PK')
}

/** Opens the dispute that is due next from the first page, and saves the evidence for the bank. */
export async function answerDispute(walk: Walk): Promise<void> {
  const { page, t } = walk
  const need = new RegExp(`${t.pages('today.need.dispute_due')}|${t.pages('today.need.dispute')}`)
  await page.getByRole('link', { name: need }).first().click()
  await page.locator('tbody a.mono').first().click()
  await expect(page.getByText(t.pages('invoice.disputes.respondBy')).first()).toBeVisible()
  await walk.look('dispute')
  const evidence = await downloaded(walk, () =>
    page.getByRole('button', { name: t.pages('invoice.disputes.evidence') }).click(),
  )
  expect(readFileSync(evidence).subarray(0, 5).toString()).toBe('%PDF-')
}

/** Takes the payout of a partner, and records that it was sent. */
export async function payOut(walk: Walk, { username }: { username: string }): Promise<void> {
  const { page, t, dialog } = walk
  await page.getByRole('link', { name: new RegExp(t.pages('today.need.payout_waiting')) }).click()
  const row = page.getByRole('row').filter({ hasText: username })
  await row.getByRole('button', { name: t.payouts('take'), exact: true }).click()
  await walk.look('take')
  await dialog.getByRole('button', { name: t.payouts('take'), exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await row.getByRole('button', { name: t.payouts('pay'), exact: true }).click()
  await dialog.getByLabel(t.payouts('reference')).fill('4f1c09ab22de77b0c1')
  await walk.look('pay')
  await dialog.getByRole('button', { name: t.payouts('pay'), exact: true }).click()
  await expect(dialog).toHaveCount(0)
  // The list of those that wait no longer has it.
  await expect(row).toHaveCount(0)
  await expect(page.getByText(t.payouts('none'), { exact: true })).toHaveCount(0)
}

/** Changes the price of a pool; `price` as it is typed, with two decimals. */
export async function changePrice(walk: Walk, pool: string, price: string): Promise<void> {
  const { page, language, t, dialog } = walk
  await openPage(walk, 'prices')
  await page.getByRole('button', { name: t.pages('prices.change') }).click()
  await page.getByLabel(t.header(`pools.${pool}`), { exact: true }).fill(price)
  const preview = page.getByRole('region', { name: t.pages('prices.preview') })
  const row = { name: t.header(`pools.${pool}`) }
  await expect(preview.getByRole('row', row).first()).toContainText(gb(language, price))
  await walk.look('prices')
  await page.getByRole('button', { name: t.pages('prices.save') }).click()
  await dialog.getByLabel(t.desk('reason.label')).fill('the seller asks more')
  await walk.look('reason')
  await dialog.getByRole('button', { name: t.pages('prices.save') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row', row).first()).toContainText(gb(language, price))
  const history = page.getByRole('region', { name: t.pages('prices.history') })
  await expect(history.getByRole('cell', { name: gb(language, price) }).first()).toBeVisible()
}
