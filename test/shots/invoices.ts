/** The page of an invoice in each of its states. */
import type { Page } from '@playwright/test'
import { openDatabase } from '#db'
import { expireInvoices } from '#purchase'
import { turnpike } from '#test/stack'
import { origin } from '../browser/shop.ts'
import type { Customer } from './people.ts'
import type { Shot } from './shot.ts'

export const invoiceStates = ['paid', 'underpaid', 'cancelled', 'refunded', 'expired', 'pending'] as const
type State = (typeof invoiceStates)[number]

const monthMs = 30 * 86_400_000

async function order(page: Page, { token }: Customer): Promise<string> {
  const answer = await page.request.post(`${origin()}/api/rpc/create_invoice_web`, {
    headers: { authorization: `Bearer ${token}` },
    data: { payment_method: 'sandbox', pool: 'residential', amount: 10 },
  })
  return answer.headers()['x-invoice-id'] ?? ''
}

const press = (page: Page, number: string, result: string) =>
  page.request.post(`${origin()}/sandbox/pay/${number}`, { form: { result }, maxRedirects: 0 })

/** Expires all pending invoices, as if a month had passed. */
async function expireAll(dataDir: string): Promise<void> {
  const database = await openDatabase({ dataDir, role: 'guest' })
  await expireInvoices(database.db, new Date(Date.now() + monthMs))
  await database.close()
}

async function made(page: Page, customer: Customer, state: State): Promise<string> {
  const number = await order(page, customer)
  const dataDir = process.env['TEST_DATA_DIR'] ?? ''
  if (state === 'expired') await expireAll(dataDir)
  if (state === 'paid' || state === 'refunded') await press(page, number, 'paid')
  if (state === 'underpaid' || state === 'cancelled') await press(page, number, state)
  if (state === 'refunded')
    await turnpike({ DATA_DIR: dataDir, PUBLIC_URL: origin() }, 'invoices', 'refund', number, '--yes')
  return number
}

/**
 * The pictures of a customer's invoices, one invoice for each. The pending invoice is made last, because all
 * earlier pending ones expire.
 */
export async function invoiceShots(page: Page, customer: Customer): Promise<Shot[]> {
  const shots: Shot[] = []
  for (const state of invoiceStates) {
    const number = await made(page, customer, state)
    shots.push({ name: `account-invoice-${state}`, who: 'buyer', path: `/account?invoice=${number}` })
    if (state === 'pending') shots.push({ name: 'pay', who: 'buyer', path: `/sandbox/pay/${number}` })
  }
  return [...shots, { name: 'account-invoice-unknown', who: 'buyer', path: '/account?invoice=unknown' }]
}
