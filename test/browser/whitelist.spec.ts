/** The whitelist tab: rules of product.md sections 4 (usable pools), 5 (addresses) and 8 (its messages). */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import {
  buy,
  expect,
  expectAccessibleEverywhere,
  filled,
  gatewaySource,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'

const ru = words('ru', 'userPanel')
const text = (key: string, values: Record<string, string> = {}) => filled(ru[key] ?? '', values)
const list = ru['whitelist.list'] ?? ''
let address = 0
/** A different address for each test: an address belongs to one customer per pool. */
const fresh = () => `45.46.0.${++address}`

/** Adds the address to another customer's whitelist, from that address: it is proven. */
async function provenByAnother(page: Page, ip: string): Promise<void> {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  const added = await page.request.post(`${origin()}/api/rpc/add_ip_to_whitelist`, {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': ip },
    data: { ip, pool: 'residential' },
  })
  expect(added.ok()).toBe(true)
}

test('the first usable pool is chosen by default, and pools without traffic cannot be chosen', async ({
  page,
}) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'datacenter', amount: 1 })
  await page.goto(`${origin()}/account?tab=whitelist`)
  await expect(
    page.getByRole('radio', { name: words('ru', 'header')['pools.datacenter'] ?? '' }),
  ).toBeChecked()
  await expect(page.getByRole('radio', { disabled: true })).toHaveCount(3)
})

test('an address is added, found in the list, removed, restored within five seconds', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=whitelist`)
  await expect(page.getByText(text('whitelist.empty'))).toBeVisible()
  const add = page.getByRole('button', { name: text('whitelist.add'), exact: true })
  await expect(add).toBeDisabled()

  const ip = fresh()
  await page.getByLabel(text('whitelist.address')).fill(` ${ip} `)
  await page.keyboard.press('Enter')
  const addresses = page.getByRole('list', { name: list })
  await expect(addresses).toContainText(ip)
  await expect(page.getByLabel(text('whitelist.address'))).toHaveValue('')
  await expect(add).toBeDisabled()

  await page.getByRole('button', { name: text('whitelist.remove', { ip }) }).click()
  const undo = page.getByRole('button', { name: text('whitelist.undoOf', { ip }) })
  await expect(undo).toBeFocused()
  // The row is back before the server has the address again.
  const added = page.waitForResponse((answer) => answer.url().endsWith('/add_ip_to_whitelist'))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: text('whitelist.remove', { ip }) })).toBeVisible()
  await added
  await page.reload()
  await expect(addresses).toContainText(ip)

  await page.getByRole('button', { name: text('whitelist.remove', { ip }) }).click()
  await expect(undo).toBeVisible()
  await expect(undo).toBeHidden({ timeout: 8000 })
  await expect(page.getByText(text('whitelist.empty'))).toBeVisible()
  await page.reload()
  await expect(page.getByText(text('whitelist.empty'))).toBeVisible()
})

test('only IPv4 is accepted, and no address twice', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=whitelist`)
  // Nothing can be added while the list is loading.
  await expect(page.getByText(text('whitelist.empty'))).toBeVisible()
  const box = page.getByLabel(text('whitelist.address'))
  for (const wrong of ['300.1.1.1', '1.2.3', '2001:db8::1', 'host.example']) {
    await box.fill(wrong)
    await page.keyboard.press('Enter')
    await expect(box).toHaveAccessibleDescription(text('whitelist.invalidIP'))
  }
  const ip = fresh()
  for (const [typed, said] of [
    [ip, ''],
    [ip, text('whitelist.known', { ip })],
  ] as const) {
    await box.fill(typed)
    await page.keyboard.press('Enter')
    if (said === '') await expect(box).toHaveValue('')
    else await expect(box).toHaveAccessibleDescription(said)
  }
})

test('an address entered before the list has loaded is added once it has', async ({ page }) => {
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  const load = Promise.withResolvers<void>()
  await page.route('**/api/rpc/get_whitelist_ips', async (route) => {
    await load.promise
    await route.continue()
  })
  await page.goto(`${origin()}/account?tab=whitelist`)
  const ip = fresh()
  await page.getByLabel(text('whitelist.address')).fill(ip)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: text('whitelist.add'), exact: true })).toBeDisabled()
  load.resolve()
  await expect(page.getByRole('list', { name: list })).toContainText(ip)
  await expect(page.getByLabel(text('whitelist.address'))).toHaveValue('')
})

test('without traffic there is no access', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/account?tab=whitelist`)
  const box = page.getByLabel(text('whitelist.address'))
  await box.fill('203.0.113.7')
  await page.keyboard.press('Enter')
  await expect(box).toHaveAccessibleDescription(text('whitelist.noPoolAccess'))
})

test('the own address is added with one press', async ({ page }) => {
  const { token } = await signedIn(page)
  // In a pool in which no other test proves it.
  await buy(page, token, { pool: 'datacenter', amount: 1 })
  await page.goto(`${origin()}/account?tab=whitelist`)
  await page.getByRole('button', { name: text('whitelist.addOwn') }).click()
  await expect(page.getByRole('list', { name: list })).toContainText('127.0.0.1')
})

test('another customer’s address is refused with the server’s sentence', async ({ page }) => {
  const ip = fresh()
  await provenByAnother(page, ip)
  await page.evaluate(() => localStorage.clear())

  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=whitelist`)
  const box = page.getByLabel(text('whitelist.address'))
  await box.fill(ip)
  await page.keyboard.press('Enter')
  await expect(box).toHaveAccessibleDescription(/^Этот адрес в этом пуле подтвердил другой клиент\./)
})

test('an address is unproven at first, and the copied command proves it', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=whitelist`)
  await expect(page.getByText(text('whitelist.empty'))).toBeVisible()
  // An address of this machine, but not the one of the page's requests.
  await page.getByLabel(text('whitelist.address')).fill('127.0.0.2')
  await page.keyboard.press('Enter')
  const addresses = page.getByRole('list', { name: list })
  const waiting = text('whitelist.waiting').split(' {{')[0] ?? ''
  await expect(addresses).toContainText(waiting)
  await expect(page.getByText(text('whitelist.proveText'))).toBeVisible()
  await expectAccessibleEverywhere(page)
  const shown = page.getByRole('region', { name: 'curl' })
  await expect(shown).toContainText('••••')
  await page.getByRole('button', { name: text('samples.copy'), exact: true }).click()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `${command} -sS --max-time 20 --interface 127.0.0.2`,
  ])
  expect(stdout.trim()).toBe(gatewaySource)
  await expect(addresses).not.toContainText(waiting, { timeout: 15_000 })
  await expect(addresses).toContainText('127.0.0.2')
  await expect(page.getByText(text('whitelist.proveText'))).toBeHidden()
})

test('an address that another customer has proven is shown as lost, until it is dismissed', async ({
  page,
}) => {
  const ip = fresh()
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=whitelist`)
  await page.getByLabel(text('whitelist.address')).fill(ip)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: list })).toContainText(ip)
  const user = await page.evaluate(() => localStorage.getItem('user') ?? '')
  await provenByAnother(page, ip)
  await page.evaluate((own) => localStorage.setItem('user', own), user)
  await page.goto(`${origin()}/account?tab=whitelist`)
  await expect(page.getByText(text('whitelist.lost.taken', { ip }))).toBeVisible()
  await expect(page.getByText(text('whitelist.empty'))).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.getByRole('button', { name: text('whitelist.forget', { ip }) }).click()
  await expect(page.getByText(text('whitelist.lost.taken', { ip }))).toBeHidden()
})
