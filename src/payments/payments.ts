/**
 * Incoming money. A payment method is an adapter that makes a processor's invoice, parses its notifications
 * and looks up the state of its invoices. All notifications take the same steps: they are verified, stored as
 * received, then settled by `purchase`.
 */
import type { Kysely } from 'kysely'
import { processorMethods } from '#contract/invoices'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { listRates, rateState, readRateLimits } from '#rates'
import type { PaymentMethod } from './method.ts'
import { leastInUsd } from './rates.ts'
import { withdrawnMethods } from './withdrawn.ts'

export { microsOf } from './amount.ts'
export { ProcessorFault } from './ask.ts'
export { askProcessors } from './asking.ts'
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
export type { ClosingReceipt, FiscalItem, FiscalMode, FiscalReceipt, FoundReceipt } from './fiscal.ts'
export { usualLooksPerMinute } from './method.ts'
export type {
  Charge,
  DeclineReason,
  DisputeState,
  Finding,
  FoundDispute,
  FoundMethod,
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
  RefundAccepted,
  RefundState,
  RefundToSend,
  SavedMethods,
  Wish,
} from './method.ts'
export { type FoundOrder, type OrderRecord, printOrder, readOrder } from './order.record.ts'
export { listRefusedWishes, type MadeInvoice, makeAtProcessor, noteWishes, refusedWishes } from './wishes.ts'
export { refuseWithdrawn, withdrawnIn, withdrawnMethods } from './withdrawn.ts'
export { closedNote, describe, type Priced, priceFor, rateNote } from './rates.ts'

/**
 * A configured method whose currency has a rate. `isClosed`: the rate is too old to be sold at, so the method
 * cannot be used now. `leastUsdMicros`: the minimum cost of an order paid by this method; null: no minimum.
 */
export interface Offered {
  method: PaymentMethod
  isClosed: boolean
  leastUsdMicros: bigint | null
}

export class PaymentMethods {
  #methods = new Map<string, PaymentMethod>()

  constructor(methods: PaymentMethod[]) {
    this.replace(methods)
  }

  /** Puts other methods in their place: staff have changed a processor's keys. */
  replace(methods: PaymentMethod[]): void {
    this.#methods = new Map(methods.map((method) => [method.name, method]))
  }

  /** The configured methods, in the order they are offered. */
  list(): PaymentMethod[] {
    return [...this.#methods.values()]
  }

  /** The configured methods without those that staff have stopped offering. */
  async listOffered(db: Kysely<DB>): Promise<PaymentMethod[]> {
    const withdrawn = await withdrawnMethods(db)
    return this.list().filter(({ name }) => !withdrawn.has(name))
  }

  /** The methods that customers may choose, in the order they are offered. */
  async offered(db: Kysely<DB>, now: Date): Promise<Offered[]> {
    const [usable, withdrawn] = await Promise.all([this.usable(db, now), withdrawnMethods(db)])
    return usable.filter(({ method: { name } }) => !withdrawn.has(name))
  }

  /** The same with the methods that staff have stopped offering. */
  async usable(db: Kysely<DB>, now: Date): Promise<Offered[]> {
    const all = this.list()
    const inUsd = (method: PaymentMethod) => ({
      method,
      isClosed: false,
      leastUsdMicros: method.leastMicros ?? null,
    })
    if (all.every(({ currency }) => currency === 'USD')) return all.map(inUsd)
    const [rates, limits] = await Promise.all([listRates(db), readRateLimits(db)])
    return all.flatMap((method) => {
      if (method.currency === 'USD') return [inUsd(method)]
      const rate = rates.find(({ currency }) => currency === method.currency)
      if (rate === undefined) return []
      const isClosed = rateState(rate, limits, now) === 'closed'
      return [{ method, isClosed, leastUsdMicros: leastInUsd(method, rate) }]
    })
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
