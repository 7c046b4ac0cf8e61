/**
 * Saved payment methods at YooKassa,
 * https://yookassa.ru/developers/payment-acceptance/scenario-extensions/recurring-payments: cards, SBP,
 * SberPay and others. A live shop can use them only after its manager at YooKassa has enabled them.
 */
import * as z from 'zod'
import type { Charge, DeclineReason, FoundMethod } from '../method.ts'

export const savedMethodShape = z.object({
  id: z.string(),
  type: z.string(),
  saved: z.boolean().optional(),
  title: z.string().nullish(),
  card: z
    .object({
      last4: z.string(),
      card_type: z.string().nullish(),
      expiry_month: z.string().nullish(),
      expiry_year: z.string().nullish(),
    })
    .nullish(),
})

export const cancellationShape = z.object({ party: z.string().optional(), reason: z.string() })

const names: Readonly<Record<string, string>> = {
  sbp: 'СБП',
  sberbank: 'SberPay',
  tinkoff_bank: 'T-Pay',
  yoo_money: 'ЮMoney',
}

/** The method that was saved with a payment; null: none was. */
export function savedIn(method: z.infer<typeof savedMethodShape> | undefined): FoundMethod | null {
  if (method?.saved !== true) return null
  const { id, type, title, card } = method
  const brand = card?.card_type ?? names[type] ?? title ?? type
  const [month, year] = [card?.expiry_month ?? '', card?.expiry_year ?? '']
  return {
    id,
    customer: null,
    fingerprint: null,
    brand: brand.slice(0, 40),
    last4: /^\d{4}$/.test(card?.last4 ?? '') ? (card?.last4 ?? null) : null,
    expires: /^\d{4}-\d{2}$/.test(`${year}-${month}`) ? `${year}-${month}` : null,
  }
}

/** https://yookassa.ru/developers/payment-acceptance/after-the-payment/declined-payments */
const reasons: Readonly<Record<string, DeclineReason>> = {
  insufficient_funds: 'insufficient_funds',
  card_expired: 'card_expired',
  permission_revoked: 'permission_revoked',
  payment_method_restricted: 'restricted',
  payment_method_limit_exceeded: 'restricted',
  country_forbidden: 'restricted',
  fraud_suspected: 'fraud_suspected',
}

interface Paid {
  id: string
  status: 'pending' | 'waiting_for_capture' | 'succeeded' | 'canceled'
  cancellation_details?: { reason: string } | undefined
}

/** The state of a charge of a saved method; `finding` is what its payment says. */
export function chargeIn<P extends Paid>(payment: P, findingOf: (payment: P) => FindingOf): Charge {
  const { id: externalId, status, cancellation_details: details } = payment
  if (status === 'succeeded') return { state: 'received', externalId, finding: findingOf(payment) }
  if (status !== 'canceled') return { state: 'pending', externalId }
  return { state: 'declined', externalId, reason: reasons[details?.reason ?? ''] ?? 'declined' }
}

type FindingOf = Extract<Charge, { state: 'received' }>['finding']
