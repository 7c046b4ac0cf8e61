/**
 * Incoming money. A payment method is an adapter that makes a processor's invoice, parses its notifications and looks
 * up the state of its invoices. All notifications take the same steps: they are verified, stored as received, then
 * settled by `purchase`.
 */
import type { Kysely } from 'kysely'
import { processorMethods } from '#contract/invoices'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import type { PaymentMethod } from './method.ts'
import { listRates } from './rates.ts'

export { microsOf } from './amount.ts'
export { ProcessorFault } from './ask.ts'
export {
  blankWebhooks,
  findWebhook,
  forgetForgedWebhooks,
  judgeWebhook,
  listWebhooks,
  storeForgedWebhook,
  storeWebhook,
  webhookCounts,
  type WebhookEvent,
} from './events.ts'
export { type Expected, judge, type NotCounted } from './judge.ts'
export type {
  Charge,
  ClosingReceipt,
  DeclineReason,
  DisputeState,
  Finding,
  FiscalItem,
  FiscalMode,
  FiscalReceipt,
  FoundDispute,
  FoundMethod,
  FoundReceipt,
  FoundRefund,
  InvoiceToPay,
  ListedChange,
  ListedPayment,
  MethodIds,
  Notification,
  PaymentMethod,
  Price,
  RawWebhook,
  Reading,
  RefundToSend,
  SavedMethods,
} from './method.ts'
export { type FoundOrder, type OrderRecord, printOrder, readOrder } from './order.record.ts'
export { describe, listRates, type Priced, priceFor, type Rate, rateNote, setRate } from './rates.ts'

export class PaymentMethods {
  readonly #methods: Map<string, PaymentMethod>

  constructor(methods: PaymentMethod[]) {
    this.#methods = new Map(methods.map((method) => [method.name, method]))
  }

  /** The configured methods, in the order they are offered. */
  list(): PaymentMethod[] {
    return [...this.#methods.values()]
  }

  /** The configured methods that can be used now: a method that does not collect USD needs a rate. */
  async offered(db: Kysely<DB>): Promise<PaymentMethod[]> {
    const all = this.list()
    if (all.every(({ currency }) => currency === 'USD')) return all
    const rated = new Set(['USD', ...(await listRates(db)).map(({ currency }) => currency)])
    return all.filter(({ currency }) => rated.has(currency))
  }

  /** The configured method of this name, or null. */
  find(name: string): PaymentMethod | null {
    return this.#methods.get(name) ?? null
  }

  /** Refuses with `payment_method_unavailable` (known, not configured) or `invalid_payment_method`. */
  get(name: string): PaymentMethod {
    const method = this.find(name)
    if (method !== null) return method
    const isKnown = processorMethods.some((each) => each === name)
    throw new Refusal(isKnown ? 'payment_method_unavailable' : 'invalid_payment_method')
  }
}
