/**
 * Telegram Stars, https://core.telegram.org/bots/payments-stars: an invoice link in XTR, priced by the
 * operator's STARS_PER_USD. The bot answers the pre-checkout query and receives the update about the payment.
 * Payments and refunds are read from the list of the bot's transactions, so the poller finds a missed update.
 * There is no webhook for this method, and a refund returns all stars of a payment.
 */
import { microsPerCent } from '#contract/price'
import * as z from 'zod'
import type { Secrets } from '#lib/secret'
import { ProcessorFault } from '../../ask.ts'
import type { Finding, InvoiceToPay, PaymentMethod, RefundToSend } from '../../method.ts'
import { forged } from '../../signature.ts'
import { printPayload, readPayload, starsFor, type StarsPayload } from './payload.ts'
import { callBot, type StarsOptions, type StarsPayment, StarsTransactions } from './transactions.ts'

export type { StarsPayment } from './transactions.ts'

/** The method, and what the bot needs of it. */
export interface StarsMethod extends PaymentMethod {
  /** The price of a cost in micro-USD, in whole stars. */
  priceOf: (costMicros: bigint) => bigint
  /** Parses a payload; null: it is not of this shop. */
  payloadOf: (payload: string) => StarsPayload | null
  /** Stores a payment from an update that the bot received. */
  note: (payment: Omit<StarsPayment, 'refundedAt'>) => void
  /** The finding about the invoice with this id from stored payments, without a request to Telegram. */
  known: (externalId: string) => Finding | null
}

/** The bot, and how many stars a dollar is. */
export interface StarsSettings extends Pick<StarsOptions, 'token' | 'apiRoot'> {
  perUsdMicros: bigint
}

interface StarsDeps extends StarsOptions, StarsSettings {
  secrets: Secrets
}

export const isStars = (method: PaymentMethod | null): method is StarsMethod => method?.name === 'stars'

/** Telegram does not document the maximum price in stars; a price above this means a wrong STARS_PER_USD. */
const mostStars = 1_000_000n

export function starsMethod(deps: StarsDeps): StarsMethod {
  const { secrets, perUsdMicros } = deps
  const transactions = new StarsTransactions(deps)
  const known = (externalId: string) => findingOf(secrets, transactions.known(), externalId)
  return {
    name: 'stars',
    description: {
      ru: '<p>Звёздами Telegram. Оплачивает тот Telegram, который привязан к вашему аккаунту.</p>',
      en: '<p>Telegram Stars. They are paid from the Telegram that is linked to your account.</p>',
    },
    currency: 'USD',
    // The bot's messages share its token, and each look reads the list of transactions.
    looksPerMinute: 60,
    priceOf: (costMicros) => starsFor(costMicros, perUsdMicros),
    payloadOf: (payload) => readPayload(secrets, payload),
    note: (payment) => transactions.note({ ...payment, refundedAt: null }),
    known,
    create: (invoice) => create(deps, invoice),
    // Telegram sends payments to the bot, not to this webhook.
    prove: () => {
      throw forged()
    },
    read: () => ({ kind: 'nothing', verdict: 'ignored' }),
    check: async () => {
      await callBot(deps, 'getMe', {}, z.object({ username: z.string() }))
    },
    look: async (externalId) => {
      await transactions.read()
      return known(externalId)
    },
    changes: async (since) => {
      await transactions.read()
      return refundedOf(secrets, transactions.known())
        .filter(({ refundedAt }) => refundedAt >= since)
        .map(({ chargeId, payload }) => ({ id: chargeId, lookAt: payload, state: 'sent' }))
    },
    refundsWholeOnly: true,
    refund: async (refund) => {
      await transactions.read()
      return returnStars(deps, transactions.known(), refund)
    },
  }
}

async function create(deps: StarsDeps, { number, price, description, language }: InvoiceToPay) {
  const stars = starsFor(price.micros, deps.perUsdMicros)
  if (stars > mostStars)
    throw new ProcessorFault('refused', `an invoice of ${stars} stars: see STARS_PER_USD`)
  const payload = printPayload(deps.secrets, { number, micros: price.micros, stars })
  const body = {
    title: titles[language],
    description: description.slice(0, 255),
    payload,
    provider_token: '',
    currency: 'XTR',
    prices: [{ label: titles[language], amount: Number(stars) }],
  }
  const paymentUrl = await callBot(deps, 'createInvoiceLink', body, z.url())
  return { externalId: payload, paymentUrl }
}

/** At most 32 characters. */
const titles = { ru: 'Трафик прокси', en: 'Proxy traffic' }

/**
 * The payments for one invoice of ours. There may be several: a link can be paid again, and a repeated order
 * may have made two links.
 */
const paymentsOf = (secrets: Secrets, payments: StarsPayment[], number: string) =>
  payments.flatMap((payment) => {
    const order = readPayload(secrets, payment.payload)
    return order?.number === number ? [{ ...payment, order }] : []
  })

/** The part of the invoice's cost that a payment covers. */
const worthOf = ({ stars, order }: { stars: bigint; order: StarsPayload }) =>
  stars >= order.stars ? order.micros : (order.micros * stars) / order.stars

/**
 * The answer about one invoice; its id is the payload of its first link. Null: the id is not of this shop.
 */
function findingOf(secrets: Secrets, payments: StarsPayment[], externalId: string): Finding | null {
  const asked = readPayload(secrets, externalId)
  if (asked === null) return null
  const paid = paymentsOf(secrets, payments, asked.number)
  const inUsd = (micros: bigint) => ({ currency: 'USD', micros })
  return {
    externalId,
    invoiceNumber: asked.number,
    status: paid.length === 0 ? 'waiting' : 'received',
    price: inUsd(asked.micros),
    receivedMicros: paid.reduce((total, payment) => total + worthOf(payment), 0n),
    isTest: false,
    isDisputed: false,
    paidAt: paid.map(({ paidAt }) => paidAt).toSorted((a, b) => Number(b) - Number(a))[0] ?? null,
    refunds: paid.flatMap((payment) =>
      payment.refundedAt === null
        ? []
        : [
            {
              refundId: payment.chargeId,
              // Only the bot can return stars, always a whole payment, so the number of the invoice
              // identifies the refund.
              name: asked.number,
              price: inUsd(worthOf(payment)),
              state: 'sent',
              madeAt: payment.refundedAt,
              feeMicros: null,
            },
          ],
    ),
  }
}

const refundedOf = (secrets: Secrets, payments: StarsPayment[]) =>
  payments.flatMap((payment) =>
    payment.refundedAt === null || readPayload(secrets, payment.payload) === null
      ? []
      : [{ ...payment, refundedAt: payment.refundedAt }],
  )

/** Returns the stars of an invoice. A payment that was returned before counts as returned. */
async function returnStars(deps: StarsDeps, payments: StarsPayment[], { number, price }: RefundToSend) {
  const paid = paymentsOf(deps.secrets, payments, number)
  const worth = (some: typeof paid) => some.reduce((total, payment) => total + worthOf(payment), 0n)
  const sums = [worth(paid), worth(paid.filter(({ refundedAt }) => refundedAt === null))]
  // The amount to return was rounded down to the cent, so it may be less than the payment by up to a cent.
  const isWhole = sums.some((sum) => sum > 0n && price.micros <= sum && sum - price.micros < microsPerCent)
  if (!isWhole) throw new ProcessorFault('refused', 'stars are returned whole: a part of a payment cannot be')
  for (const { chargeId, payerId, refundedAt } of paid) {
    if (refundedAt !== null) continue
    const body = { user_id: Number(payerId), telegram_payment_charge_id: chargeId }
    await callBot(deps, 'refundStarPayment', body, z.literal(true)).catch((error: unknown) => {
      const isDone = error instanceof ProcessorFault && /CHARGE_ALREADY_REFUNDED/.test(error.message)
      if (!isDone) throw error
    })
  }
  return { reference: paid.map(({ chargeId }) => chargeId).join(' '), claimUrl: null, state: 'sent' as const }
}
