/** Members of staff in a browser: invited at the command line, joined through the link. */
import { expect, type Page } from '@playwright/test'
import { generate } from 'otplib'
import type { Role } from '#contract/desk/roles'
import { turnpike } from '#test/stack'
import { deskOrigin, words } from './shop.ts'

const stepMs = 30_000

const stepNow = () => Math.floor(Date.now() / stepMs)

/** The latest step whose code was used, per secret: the desk accepts each code once. */
const usedSteps = new Map<string, number>()

/**
 * The present code of an authenticator app, after the step of the code used before has passed.
 * The desk accepts the present code and the one before, so it stays valid for at least 30 seconds.
 */
export async function totpCode(secret: string): Promise<string> {
  await expect.poll(stepNow, { timeout: 2 * stepMs }).toBeGreaterThan(usedSteps.get(secret) ?? 0)
  const step = stepNow()
  usedSteps.set(secret, step)
  return generate({ secret, epoch: (step * stepMs) / 1000 })
}

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

/** Invites a new member at the command line, who joins and stops at the recovery codes. */
export async function join(
  page: Page,
  name: string,
  role: Role,
  language: 'ru' | 'en',
): Promise<BrowserMember> {
  const password = `the password of ${name}`
  return { name, password, ...(await joinAt(page, await linkFor(name, role), { password, language })) }
}

/** Opens a link, sets a password and an authenticator app, and stops at the recovery codes. */
export async function joinAt(
  page: Page,
  link: string,
  { password, language }: { password: string; language: 'ru' | 'en' },
): Promise<Pick<BrowserMember, 'secret' | 'recoveryCodes'>> {
  const t = words(language, 'desk')
  await page.goto(link)
  await page.getByLabel(t['join.password'] ?? '', { exact: true }).fill(password)
  const spaced = await page.locator('code').innerText()
  const secret = spaced.replaceAll(/\s/g, '')
  await page.getByLabel(t['totp.code'] ?? '').fill(await totpCode(secret))
  await page.getByRole('button', { name: t['join.submit'] ?? '' }).click()
  await expect(page.getByRole('heading', { name: t['recovery.title'] ?? '' })).toBeVisible()
  const recoveryCodes = await page.locator('main ol li').allInnerTexts()
  expect(recoveryCodes).toHaveLength(10)
  return { secret, recoveryCodes }
}
