/**
 * A test purchase: the smallest possible order, by the same functions as a customer's, for the test account.
 */
import { testAccount } from '#accounts'
import { basePrices } from '#catalog'
import type { DeskOutput } from '#contract/desk/contract'
import type { Language } from '#contract/language'
import { type Database, transaction } from '#db'
import { most } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import { createInvoice, type OrderToPay, type PurchaseDeps } from '#purchase'
import { type Author, record } from '#staff'
import { repeatable } from './lists/once.ts'

interface TestOrder {
  method: string
  reason: string
  /** The request's key. A repeated request with the same key finds the same invoice. */
  key: string
  language: Language
  /** The address for the fiscal receipt; null: the address of the previous test purchase. */
  receiptEmail: string | null
}

/**
 * Makes a real invoice at a processor for one GB of the cheapest pool, or for more GB if the processor's
 * minimum requires it. If the processor makes no payment page, the answer has its reason in its own words.
 * Refuses as `createInvoice` does, with `invalid_pool` when nothing is on sale, and with `act_key_reused`.
 */
export async function buyForTest(
  database: Database,
  deps: PurchaseDeps,
  author: Author,
  { method, reason, key, language, receiptEmail }: TestOrder,
  now: Date,
): Promise<DeskOutput<'test_purchase'>> {
  const prices = [...(await basePrices(database.db))].toSorted(([, one], [, other]) => Number(one - other))
  const [pool, price] = prices[0] ?? []
  if (pool === undefined || price === undefined) throw new Refusal('invalid_pool')
  const accountId = await transaction(database.db, testAccount)
  const number = key.replaceAll('-', '')
  const input = { method, ...(receiptEmail === null ? {} : { receipt_email: receiptEmail }) }
  const faults: string[] = []
  const noted = {
    ...deps,
    noteFault: (name: string, fault: Error) => {
      faults.push(fault.message)
      deps.noteFault(name, fault)
    },
  }
  const note: OrderToPay['note'] = (tx, invoice) => {
    const after = { key, input, method, pool, gb: invoice.gb, cost_micros: invoice.costMicros }
    const subject = { kind: 'invoice', id: number } as const
    return record(tx, author, { action: 'test_purchase', subject, accountId, after, reason }, now)
  }
  const usable = await deps.methods.usable(database.db, now)
  const least = usable.find(({ method: { name } }) => name === method)?.leastUsdMicros ?? 0n
  const gb = most(1n, (least + price - 1n) / price)
  const order = {
    method,
    isForTest: true as const,
    accountId,
    pool,
    gb,
    promocode: null,
    language,
    number,
    receiptEmail,
    note,
  }
  return repeatable(database.db, { key, author, input, actions: ['test_purchase'] }, async () => {
    try {
      const { paymentUrl } = await createInvoice(database, noted, order, now)
      return { number, payment_url: paymentUrl, fault: null }
    } catch (error) {
      const fault = faults.at(-1)
      if (fault === undefined || !(error instanceof Refusal)) throw error
      return { number, payment_url: null, fault }
    }
  })
}
