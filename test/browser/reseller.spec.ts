/** The reseller tab: the token, its actions, and samples that run as copied. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { buy, expect, expectAccessible, origin, signedIn, test, words } from './shop.ts'

const run = promisify(execFile)
const ru = { ...words('ru', 'userBtns'), ...words('ru', 'userPanel'), ...words('ru', 'security') }
const text = (key: string) => ru[key] ?? ''
const secret = (page: Page) => page.getByRole('group', { name: text('reseller.token') })

async function clipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

async function works(page: Page, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await page.request.get(`${origin()}/api/legacy_profile`, { headers })).status()
}

test('the token is copied, rotated and revoked, the latter two only after a warning', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  await signedIn(page)
  await page.goto(`${origin()}/account?tab=resell`)
  await secret(page)
    .getByRole('button', { name: text('copy.act') })
    .click()
  await expect.poll(() => clipboard(page)).toMatch(/^tpr_/)
  const first = await clipboard(page)
  await expect(page.getByRole('main')).not.toContainText(first)
  await secret(page)
    .getByRole('button', { name: text('secret.show') })
    .click()
  await expect(secret(page)).toContainText(first)

  await page.getByRole('button', { name: text('reseller.rotate'), exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText(text('reseller.stops'))
  await expectAccessible(page)
  await page.getByRole('button', { name: text('reseller.rotateAct') }).click()
  await expect(secret(page)).not.toContainText(first)
  expect(await works(page, first)).toBe(401)

  await page.getByRole('button', { name: text('reseller.revoke'), exact: true }).click()
  await page.getByRole('button', { name: text('reseller.revokeAct') }).click()
  await expect(page.getByText(text('reseller.revoked'))).toBeVisible()
  await page.getByRole('button', { name: text('reseller.create') }).click()
  await expect(secret(page)).toContainText('tpr_')
  await expect(page.getByRole('link', { name: text('reseller.docs') })).toHaveAttribute('href', '/docs')
})

test('the samples run as copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  const { token } = await signedIn(page)
  await buy(page, token, { pool: 'residential', amount: 1 })
  await page.goto(`${origin()}/account?tab=resell`)
  const copied = async (name: string) => {
    await page.getByRole('radio', { name, exact: true }).check({ force: true })
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await page.getByRole('button', { name: text('samples.copy') }).click()
    await expect.poll(() => clipboard(page)).not.toBe('')
    return clipboard(page)
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-samples-'))
  try {
    const { stdout } = await run('sh', ['-c', `${await copied('curl')} -sSf`])
    expect(stdout.trim().split('\n')).toHaveLength(10)
    const file = path.join(folder, 'sample.mts')
    writeFileSync(file, await copied('TypeScript'))
    expect((await run(process.execPath, [file])).stdout.match(/@127\.0\.0\.1:/g)).toHaveLength(10)
    expect(await copied('Python')).toContain(`"${origin()}/api/rpc/get_proxy"`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
