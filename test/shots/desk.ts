/** The screens of the operator's desk. */
import path from 'node:path'
import { type Browser, expect, type Page } from '@playwright/test'
import { buy, deskOrigin, expectLive, signedIn } from '../browser/shop.ts'
import { join } from '../browser/staff.ts'
import { daysBefore } from '../../src/main/demo/plan.ts'
import { type Language, quiet, widths } from './shot.ts'

interface DeskShots {
  language: Language
  folder: string
  /** Only screens with this in their name. */
  only: string
}

interface DeskScreen {
  name: string
  path: string
}

/** What the addresses of single things name. */
interface Found {
  customer: string
  invoice: string
  promoCode: string
}

/** Each page of the desk, and the pages that others lead to. */
export const deskScreens = ({ customer, invoice, promoCode }: Found): DeskScreen[] => [
  { name: 'today', path: '/' },
  { name: 'customers', path: '/customers' },
  { name: 'customer', path: `/customers/${customer}` },
  { name: 'ledger', path: `/customers/${customer}?tab=ledger` },
  { name: 'invoices', path: '/invoices' },
  { name: 'invoice', path: `/invoices/${invoice}` },
  { name: 'payments', path: '/payments' },
  { name: 'reports', path: '/reports' },
  { name: 'postings', path: `/postings?report=sales&from=${dayBefore(7)}&until=${dayBefore(0)}` },
  { name: 'traffic', path: '/traffic' },
  { name: 'connections', path: '/connections' },
  { name: 'exits', path: '/exits' },
  { name: 'places', path: '/places' },
  { name: 'prices', path: '/prices' },
  { name: 'promo-codes', path: '/promo-codes' },
  { name: 'promo-code', path: `/promo-codes/${promoCode}` },
  { name: 'shop', path: '/shop' },
  { name: 'staff', path: '/staff' },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings' },
  { name: 'me', path: '/me' },
  { name: 'no-page', path: '/no-such-page' },
]

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** A customer who has bought something, the invoice of it, and a promo code. */
async function find(page: Page, username: string): Promise<Found> {
  const rows = async <T>(call: string): Promise<T[]> => {
    const answer = await page.request.get(`${deskOrigin()}/api/${call}`)
    return ((await answer.json()) as { rows: T[] }).rows
  }
  const [customer] = await rows<{ id: string }>(`customers?text=${username}`)
  const id = customer?.id ?? ''
  const [invoice] = await rows<{ number: string }>(`invoices?customer_id=${id}`)
  const [code] = await rows<{ id: string | number }>('promo_codes')
  return { customer: id, invoice: invoice?.number ?? '', promoCode: String(code?.id ?? '') }
}

/** Resolves when the demo's month is there, to the day on which it ends. */
export async function filled(page: Page): Promise<void> {
  const isComplete = async () => {
    const answer = await page.request.get(
      `${deskOrigin()}/api/audit?action=fill_demo&subject_kind=list&limit=100`,
    )
    return ((await answer.json()) as { rows: unknown[] }).rows.length > daysBefore
  }
  await expect.poll(isComplete, { timeout: 300_000 }).toBe(true)
}

/** Takes the screens of the desk as an owner sees them, in both themes. Answers how many were taken. */
export async function takeDesk(browser: Browser, { language, folder, only }: DeskShots): Promise<number> {
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
  await quiet(page)
  let taken = await take('sign-in')
  await join(page, `picture-${language}`, 'owner', language)
  taken += await take('recovery-codes')
  await filled(page)
  for (const screen of deskScreens(await find(page, username))) {
    if (!`desk-${screen.name}`.includes(only)) continue
    await page.goto(deskOrigin() + screen.path)
    await expectLive(page)
    await quiet(page)
    taken += await take(screen.name)
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(deskOrigin())
  await expectLive(page)
  await quiet(page)
  taken += await take('today-dark')
  await context.close()
  return taken
}
