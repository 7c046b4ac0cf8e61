/** The screens of the operator's desk. */
import path from 'node:path'
import { type Browser, expect, type Page } from '@playwright/test'
import { buy, deskOrigin, expectLive, signedIn } from '../browser/shop.ts'
import { join } from '../browser/staff.ts'
import { daysBefore } from '../../src/main/demo/plan.ts'

type Language = 'ru' | 'en'

interface DeskShots {
  language: Language
  widths: Readonly<Record<string, { width: number; height: number }>>
  folder: string
  /** Only screens with this in their name. */
  only: string
}

/** The pages, with one customer who has bought something. */
async function screensOf(page: Page, name: string): Promise<{ name: string; path: string }[]> {
  const find = (call: string) => page.request.get(`${deskOrigin()}/api/${call}`)
  const customers = (await (await find(`customers?text=${name}`)).json()) as { rows: { id: string }[] }
  const id = customers.rows[0]?.id ?? ''
  const invoices = (await (await find(`invoices?customer_id=${id}`)).json()) as { rows: { number: string }[] }
  return [
    { name: 'today', path: '/' },
    { name: 'customers', path: '/customers' },
    { name: 'customer', path: `/customers/${id}` },
    { name: 'ledger', path: `/customers/${id}?tab=ledger` },
    { name: 'invoices', path: '/invoices' },
    { name: 'invoice', path: `/invoices/${invoices.rows[0]?.number ?? ''}` },
    { name: 'exits', path: '/exits' },
    { name: 'prices', path: '/prices' },
    { name: 'promo-codes', path: '/promo-codes' },
    { name: 'staff', path: '/staff' },
    { name: 'audit', path: '/audit' },
    { name: 'me', path: '/me' },
  ]
}

/** Resolves when the demo's month is there, to the day on which it ends. */
async function filled(page: Page): Promise<void> {
  const isComplete = async () => {
    const answer = await page.request.get(
      `${deskOrigin()}/api/audit?action=fill_demo&subject_kind=list&limit=100`,
    )
    return ((await answer.json()) as { rows: unknown[] }).rows.length > daysBefore
  }
  await expect.poll(isComplete, { timeout: 120_000 }).toBe(true)
}

/** Takes the screens of the desk as an owner sees them, in both themes. Answers how many were taken. */
export async function takeDesk(
  browser: Browser,
  { language, widths, folder, only }: DeskShots,
): Promise<number> {
  const context = await browser.newContext({
    locale: language === 'ru' ? 'ru-RU' : 'en-US',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const { username, token } = await signedIn(page, language)
  await buy(page, token, { pool: 'residential', amount: 5 })
  const take = async (name: string) => {
    if (!`desk-${name}`.includes(only)) return 0
    for (const [width, viewport] of Object.entries(widths)) {
      await page.setViewportSize(viewport)
      const file = path.join(folder, `desk-${name}.${language}.${width}.png`)
      await page.screenshot({ path: file, fullPage: true, animations: 'disabled' })
    }
    return Object.keys(widths).length
  }
  await page.goto(deskOrigin())
  await expectLive(page)
  await page.waitForLoadState('networkidle')
  let taken = await take('sign-in')
  await join(page, `picture-${language}`, 'owner', language)
  taken += await take('recovery-codes')
  await filled(page)
  for (const screen of await screensOf(page, username)) {
    await page.goto(deskOrigin() + screen.path, { waitUntil: 'networkidle' })
    await expectLive(page)
    taken += await take(screen.name)
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(deskOrigin(), { waitUntil: 'networkidle' })
  taken += await take('today-dark')
  await context.close()
  return taken
}
