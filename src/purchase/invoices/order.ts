/** Converts an order to a quote, with a use of its promo code held for it. */
import type { Transaction } from 'kysely'
import { type Quote, quoteFor } from '#catalog'
import type { Language } from '#contract/language'
import type { Goods, Pool } from '#contract/wire'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { type Discount, holdUse } from '#promo'
import { hasPurchased } from './invoice.ts'

/** An order: the goods, the account and the language of its owner. */
export interface Order extends Ordered {
  pool: Pool
  gb: bigint
  promocode: string | null
}

/** An order of money for the money balance. */
export interface TopUpOrder extends Ordered {
  pool: 'balance'
  micros: bigint
  promocode: null
}

interface Ordered {
  accountId: bigint
  pool: Goods
  language: Language
  /** Where the customer wants the receipt; absent: as before. */
  receiptEmail?: string | null
  /** The number its invoice gets; the same order again under it finds that invoice. Absent: a new one. */
  number?: string
}

/** The ledger counts micro-USD in 64 bits and processors accept far less; larger orders are mistakes. */
const maxCostMicros = 1_000_000n * 1_000_000n

/**
 * The quote for an order. Its promo code is held for the invoice until the given time. A top-up of the money
 * balance costs what it credits; no discount applies.
 * Refuses as `holdUse` of promo codes does, and with `invalid_pool`, `amount_too_small`, `amount_too_large`.
 */
export async function quoteOrder(
  tx: Transaction<DB>,
  order: Order | TopUpOrder,
  hold: { invoice: string; until: Date },
  now: Date,
): Promise<{ quote: Quote; promo: Discount | null }> {
  if (order.pool === 'balance') return { quote: topUpQuote(order), promo: null }
  const { accountId, pool, gb, promocode } = order
  const promo =
    promocode === null
      ? null
      : await holdUse(tx, { code: promocode, accountId, gb, pool, ...hold, hasPurchased }, now)
  const quote = await quoteFor(tx, { accountId, pool, gb, promoDiscountPpm: promo?.discountPpm ?? 0 })
  if (quote === null) throw new Refusal('invalid_pool')
  if (quote.costMicros === 0n) throw new Refusal('amount_too_small')
  // The limit applies to the full cost, which becomes due when the promo code is lost.
  if (quote.fullCostMicros > maxCostMicros) {
    throw new Refusal('amount_too_large', { limit: Number(maxCostMicros / 1_000_000n) })
  }
  return { quote, promo }
}

const topUpQuote = ({ pool, micros }: TopUpOrder): Quote => ({
  pool,
  gb: 0n,
  perGbMicros: 0n,
  volumeDiscountPpm: 0,
  promoDiscountPpm: 0,
  costMicros: micros,
  fullCostMicros: micros,
})
