/** The screens of the operator's desk. */
import { type Browser, expect, type Page } from '@playwright/test'
import { buy, deskOrigin, origin } from '../../browser/shop.ts'
import { join } from '../../browser/staff.ts'
import { daysBefore } from '../../../src/main/demo/plan.ts'
import type { Camera } from '../camera.ts'
import { deskDialogs } from './dialogs.ts'
import { ofViewers } from './outside.ts'
import { type DeskScreen, deskScreens, type Found } from './screens.ts'
import { setUpDesk } from './setup.ts'
import type { Origin } from '#test/origin'
import { keepOpen, named, partnerWhoAsks } from '../people.ts'
import { type Language, localeOf, type Stage, stageOf } from '../shot.ts'
import { agree, saveCard } from '../topup.ts'

/** The customer of the pictures, their invoice, a promo code, and a customer who waits for a payout. */
async function find(page: Page, username: string, partner: string): Promise<Found> {
  const rows = async <T>(call: string): Promise<T[]> => {
    const answer = await page.request.get(`${deskOrigin()}/api/${call}`)
    return ((await answer.json()) as { rows: T[] }).rows
  }
  const idOf = async (text: string) => (await rows<{ id: string }>(`customers?text=${text}`))[0]?.id ?? ''
  const id = await idOf(username)
  const [invoice] = await rows<{ number: string }>(`invoices?customer_id=${id}`)
  const [code] = await rows<{ id: string | number }>('promo_codes')
  return {
    customer: id,
    invoice: invoice?.number ?? '',
    promoCode: String(code?.id ?? ''),
    partner: await idOf(partner),
  }
}

/** Resolves when the demo's month is filled, up to the day on which it ends. */
export async function filled(page: Page): Promise<void> {
  const isComplete = async () => {
    const answer = await page.request.get(
      `${deskOrigin()}/api/audit?action=fill_demo&subject_kind=list&limit=100`,
    )
    return ((await answer.json()) as { rows: unknown[] }).rows.length > daysBefore
  }
  await expect.poll(isComplete, { timeout: 300_000 }).toBe(true)
}

/** A customer's account as staff see it. */
async function seenAs({ page, text, dialog, open }: Stage, customer: string): Promise<void> {
  await open(`/customers/${customer}`)
  await page.getByRole('button', { name: text('deskCustomer:acts.seeAs') }).click()
  await dialog.getByLabel(text('desk:reason.label')).fill('T-1042')
  await dialog.locator('button[type=submit]').click()
  const link = dialog.getByRole('link')
  await open((await link.getAttribute('href')) ?? '')
  await page.waitForURL(`${origin()}/account**`)
}

/** Takes the screens of the desk as an owner sees them, Today in both themes. */
export async function takeDesk(
  browser: Browser,
  camera: Camera,
  { language, target }: { language: Language; target: Origin },
): Promise<void> {
  const context = await browser.newContext({ locale: localeOf(language), reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const stage = stageOf(page, deskOrigin(), language)
  const customer = await named(page, language, 'served')
  await buy(page, customer.token, { pool: 'residential', amount: 5 })
  await saveCard(page, customer)
  await agree(page, customer, 2)
  const close = await keepOpen(page, customer, target)
  const partner = await partnerWhoAsks(page, language)
  const take = async (screen: DeskScreen) =>
    camera.take(page, { ...screen, name: `desk-${screen.name}` }, language, async () => {
      await stage.open(screen.path)
      await screen.act?.(stage)
    })
  await take({ name: 'sign-in', path: '/' })
  await join(page, language === 'ru' ? 'vera' : 'victor', 'owner', language)
  await camera.take(page, { name: 'desk-recovery-codes' }, language)
  await filled(page)
  await setUpDesk(page)
  const found = await find(page, customer.username, partner.username)
  for (const screen of deskScreens(found)) await take(screen)
  await camera.take(page, { name: 'desk-see-as' }, language, () => seenAs(stage, found.customer))
  await page.emulateMedia({ colorScheme: 'dark' })
  await take({ name: 'today-dark', path: '/' })
  await page.emulateMedia({ colorScheme: 'light' })
  for (const screen of deskDialogs(found)) await take(screen)
  await page.context().clearCookies()
  await join(page, language === 'ru' ? 'galina' : 'grace', 'viewer', language)
  for (const screen of ofViewers) await take(screen)
  close()
  await context.close()
}
