/** Jobs about customers. */
import { deskOrigin } from '../shop.ts'
import { joinAt } from '../staff.ts'
import type { Tunnel } from '../../whole/tunnel.ts'
import { choose, expect, gb, openPage, openSearch, type Walk, expectWhole } from './walk.ts'

/** Finds a customer by a name, an address or a proxy login. */
export async function findCustomer(
  walk: Walk,
  text: string,
  { username }: { username: string },
): Promise<void> {
  const { page } = walk
  await openSearch(walk)
  await page.getByRole('combobox').fill(text)
  await expect(page.getByRole('option', { name: username }).first()).toBeVisible()
  await walk.look('search')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: username })).toBeVisible()
}

/** Reads why the last request of the customer failed. Records of requests arrive within seconds. */
export async function readRefusal(walk: Walk): Promise<void> {
  const { page, t } = walk
  const reason = page.getByRole('cell', { name: t.refusalNames('names.connection_refused') }).first()
  let isRead = false
  await expect(async () => {
    if (isRead) await page.reload()
    isRead = true
    await choose(walk, t.customer('lists.refusals'))
    await expect(reason).toBeVisible({ timeout: 2000 })
  }).toPass()
  await walk.look('refusals')
}

/**
 * Gives 1 GB, after which the customer has `after`. `begun`: what happens in the dialog before its reason is
 * given.
 */
export async function giveTraffic(
  walk: Walk,
  { after, begun = async () => {} }: { after: string; begun?: () => Promise<void> },
): Promise<void> {
  const { page, language, t, dialog } = walk
  await page.getByRole('button', { name: t.pages('act.give'), exact: true }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel(t.pages('act.amountGb')).focus()
  await page.keyboard.type('1')
  await begun()
  await dialog.getByLabel(t.desk('reason.label')).fill('the exit was down last night')
  await walk.look('give')
  await dialog
    .getByRole('button', { name: gb(language, t.pages('act.giveSubmit', { amount: '1.00' })) })
    .click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row', { name: t.header('pools.residential') }).first()).toContainText(
    gb(language, after),
  )
}

/** Blocks the customer, whose open tunnel ends. */
export async function block(walk: Walk, live: Tunnel): Promise<void> {
  const { page, t, dialog } = walk
  await page.getByRole('button', { name: t.pages('act.block'), exact: true }).click()
  await dialog.getByRole('textbox', { name: t.desk('reason.label'), exact: true }).fill('attacks a bank')
  await walk.look('block')
  await dialog.getByRole('button', { name: t.pages('act.block'), exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(t.pages('customerState.blocked'), { exact: true }).first()).toBeVisible()
  await expect.poll(() => live.closed()).toBe(true)
}

export async function unblock({ page, t, dialog }: Walk): Promise<void> {
  await page.getByRole('button', { name: t.pages('act.unblock') }).click()
  await dialog.getByRole('button', { name: t.pages('act.unblock') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(t.pages('customerState.blocked'), { exact: true })).toHaveCount(0)
}

/** Finds whose connection a complaint is about, and writes the answer to the complainant. */
export async function answerComplaint(
  walk: Walk,
  target: string,
  { username }: { username: string },
): Promise<void> {
  const { page, t, dialog } = walk
  await openPage(walk, 'connections')
  await page.getByLabel(t.traffic('connections.target')).fill(target)
  const now = new Date()
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  await page.getByLabel(t.traffic('connections.time')).fill(local)
  await page.getByLabel(t.traffic('connections.why')).fill('complaint 17 of a bank')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').filter({ hasText: username }).first()
  await expect(row).toBeVisible()
  await walk.look('found')
  await row.getByRole('button', { name: t.traffic('connections.answer') }).click()
  await dialog.getByRole('button', { name: t.traffic('connections.compose') }).click()
  await expect(dialog.getByLabel(t.traffic('connections.text'))).toHaveValue(new RegExp(target))
  await dialog.getByRole('button', { name: t.traffic('connections.copy') }).click()
  await expect(dialog.getByText(t.traffic('connections.copied'))).toHaveCount(1)
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(target)
  expect(copied).not.toContain(username)
}

/** Invites a helper to the role support; returns the link. */
export async function invite(walk: Walk, name: string): Promise<string> {
  const { page, t, dialog } = walk
  await openPage(walk, 'staff')
  await page.getByRole('button', { name: t.pages('staff.invite') }).click()
  await dialog.getByLabel(t.desk('signIn.name')).fill(name)
  await dialog.getByLabel(t.pages('staff.role')).selectOption({ label: t.desk('role.support') })
  await walk.look('invite')
  await dialog.getByRole('button', { name: t.pages('staff.makeLink') }).click()
  return dialog.locator('code').innerText()
}

/** The helper joins by the link, and sees what the role allows. */
export async function help(
  { page, language, t }: Walk,
  { link, username, exit }: { link: string; username: string; exit: string },
): Promise<void> {
  await joinAt(page, link, { password: 'the password of a helper', language })
  await page.getByRole('button', { name: t.desk('recovery.done') }).click()
  await page.goto(`${deskOrigin()}/customers?text=${username}`)
  await page.getByRole('link', { name: username }).click()
  await expect(page.getByRole('button', { name: t.pages('act.give'), exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: t.customer('acts.resetAccess') })).toHaveCount(0)
  // Support sees which exits work, and changes none of them.
  await page.goto(`${deskOrigin()}/exits`)
  await expect(page.getByRole('link', { name: exit })).toBeVisible()
  await expect(page.getByRole('button', { name: t.exits('exit.add') })).toHaveCount(0)
  for (const address of ['/staff', '/audit', '/prices', '/settings', '/reports']) {
    await page.goto(deskOrigin() + address)
    await expect(page.getByRole('heading', { name: t.desk('forbidden.title') })).toBeVisible()
  }
}

/** Gives each customer of a campaign 1 GB. */
export async function creditMany(walk: Walk, campaign: string): Promise<void> {
  const { page, t, dialog } = walk
  await openPage(walk, 'customers')
  await page.locator('summary', { hasText: t.customer('filters.more') }).click()
  await page.getByLabel(t.customer('filters.campaign')).fill(campaign)
  await expect(page).toHaveURL(new RegExp(`campaign=${campaign}`))
  const rows = page.locator('tbody tr')
  // The rows of the list before the filter are dimmed, not gone.
  await expect.poll(() => rows.count()).toBeLessThan(30)
  await page.getByRole('checkbox', { name: t.desk('table.selectAll') }).check()
  const count = await rows.count()
  expect(count).toBeGreaterThan(1)
  await walk.look('chosen')
  await page.getByRole('button', { name: t.customer('many.act.credit'), exact: true }).click()
  await dialog.getByLabel(t.customer('many.gbEach')).fill('1')
  await dialog.getByLabel(t.desk('reason.label')).fill('a day without the exits')
  await walk.look('credit')
  await dialog.getByRole('button', { name: t.customer('many.act.credit'), exact: true }).click()
  const done = { done: String(count), unchanged: '0', failed: '0' }
  await expect(dialog.getByText(t.customer('many.done', done))).toBeVisible()
  await expect(dialog.getByRole('link', { name: /^demo-/ })).toHaveCount(count)
  await expect(dialog.getByRole('button', { name: t.desk('cancel'), exact: true })).toHaveCount(0)
}

/** Finds the customer with the largest loss, and gives them a price list; returns their name. */
export async function repriceLossMaker(walk: Walk, list: string): Promise<void> {
  const { page, t, dialog } = walk
  await openPage(walk, 'customers')
  await page.locator('summary', { hasText: t.desk('views.title') }).click()
  await page.getByRole('link', { name: t.pages('customers.lossMakers') }).click()
  await expect(page.getByLabel(t.pages('filter.order'))).toHaveValue('least_margin')
  await expect(page.locator('details[open] a')).toHaveCount(0)
  await expect(page.getByText(t.pages('customers.marginsAt')).first()).toBeVisible()
  await expect(page.getByRole('columnheader', { name: t.pages('customers.margin') })).toBeVisible()
  await expectWhole(walk)
  await walk.look('losses')
  await page.locator('tbody a').first().click()
  await page.locator('main summary', { hasText: t.customer('acts.more') }).click()
  await page.getByRole('button', { name: t.customer('acts.priceList'), exact: true }).click()
  await dialog.getByLabel(t.pages('priceLists.one')).selectOption({ label: list })
  await dialog.getByLabel(t.desk('reason.label')).fill('costs more than it pays')
  await walk.look('assign')
  await dialog.getByRole('button', { name: t.pages('priceLists.assign') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(list, { exact: true }).first()).toBeVisible()
}
