/** Members of staff in a browser: invited, and joined through the link or the calls of the desk. */
import { expect, type Page } from '@playwright/test'
import { generate } from 'otplib'
import type { Role } from '#contract/desk/roles'
import { openDatabase } from '#db'
import { inviteStaff, linkAddress, systemAuthor } from '#staff'
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

/** A one-time link, as an operator makes it at the command line. */
export async function linkFor(name: string, role: Role): Promise<string> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  try {
    const { token } = await inviteStaff(database.db, systemAuthor(), { name, role }, new Date())
    return linkAddress(new URL(deskOrigin()), token)
  } finally {
    await database.close()
  }
}

/** A new member of staff, who joins through the calls of the desk and is signed in there in the browser. */
export async function member(page: Page, name: string, role: Role): Promise<BrowserMember> {
  const { hash } = new URL(await linkFor(name, role))
  const token = hash.slice(1)
  const post = async (call: string, data: object): Promise<unknown> => {
    const headers = { origin: deskOrigin(), 'sec-fetch-site': 'same-origin' }
    const answer = await page.request.post(`${deskOrigin()}/api/${call}`, { headers, data })
    expect(answer.ok(), await answer.text()).toBe(true)
    return answer.json()
  }
  const password = `the password of ${name}`
  const { secret } = ((await post('join_begin', { token })) as { totp: { secret: string } }).totp
  const factor = { kind: 'totp', code: await totpCode(secret) }
  const { recovery_codes: recoveryCodes } = (await post('join_finish', { token, password, factor })) as {
    recovery_codes: string[]
  }
  return { name, password, secret, recoveryCodes }
}

/** Invites a new member, who joins on the page of the link and stops at the recovery codes. */
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
  const [t, joining] = [words(language, 'desk'), words(language, 'deskJoin')]
  await page.goto(link)
  await page.getByLabel(joining['password'] ?? '', { exact: true }).fill(password)
  const spaced = await page.locator('code').innerText()
  const secret = spaced.replaceAll(/\s/g, '')
  await page.getByLabel(t['totp.code'] ?? '').fill(await totpCode(secret))
  await page.getByRole('button', { name: joining['submit'] ?? '' }).click()
  await expect(page.getByRole('heading', { name: t['recovery.title'] ?? '' })).toBeVisible()
  const recoveryCodes = await page.locator('main ol li').allInnerTexts()
  expect(recoveryCodes).toHaveLength(10)
  return { secret, recoveryCodes }
}
