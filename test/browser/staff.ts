/** Members of staff in a browser: invited at the command line, joined through the link. */
import { expect, type Page } from '@playwright/test'
import { generate } from 'otplib'
import type { Role } from '#contract/desk/roles'
import { turnpike } from '#test/stack'
import { deskOrigin, words } from './shop.ts'

const stepMs = 30_000

/** The code of an authenticator app so many steps ago. The desk accepts the present one and the one before, each once. */
export const totpCode = (secret: string, stepsAgo = 0) =>
  generate({ secret, epoch: Math.floor((Date.now() - stepsAgo * stepMs) / 1000) })

export interface BrowserMember {
  name: string
  password: string
  secret: string
  recoveryCodes: string[]
}

/** A one-time link from the command line, as an operator makes it. */
export async function linkFor(name: string, role: Role): Promise<string> {
  const env = {
    DATA_DIR: process.env['TEST_DATA_DIR'] ?? '',
    DESK_URL: deskOrigin(),
  }
  const made = JSON.parse(await turnpike(env, 'staff', 'add', name, '--role', role, '--json')) as {
    url: string
  }
  return made.url
}

/** Opens a link, sets a password and an authenticator app, and stops at the recovery codes. */
export async function join(
  page: Page,
  name: string,
  role: Role,
  language: 'ru' | 'en',
): Promise<BrowserMember> {
  const t = words(language, 'desk')
  const password = `the password of ${name}`
  await page.goto(await linkFor(name, role))
  await page.getByLabel(t['join.password'] ?? '', { exact: true }).fill(password)
  const spaced = await page.locator('code').innerText()
  const secret = spaced.replaceAll(/\s/g, '')
  await page.getByLabel(t['totp.code'] ?? '').fill(await totpCode(secret, 1))
  await page.getByRole('button', { name: t['join.submit'] ?? '' }).click()
  await expect(page.getByRole('heading', { name: t['recovery.title'] ?? '' })).toBeVisible()
  const recoveryCodes = await page.locator('main ol li').allInnerTexts()
  expect(recoveryCodes).toHaveLength(10)
  return { name, password, secret, recoveryCodes }
}
