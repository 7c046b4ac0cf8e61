/** Reads the fees, refunds and disputes of a payment at Stripe. */
import { microsPerCent } from '#contract/price'
import type Stripe from 'stripe'
import type {
  DisputeState,
  Finding,
  FoundDispute,
  FoundRefund,
  ListedChange,
  RefundState,
} from '../method.ts'
import { asked } from './stripe.asked.ts'

/** The charge of a session, when the session was read with `latest_charge` expanded; else null. */
export function chargeOf({ payment_intent: payment }: Stripe.Checkout.Session): Stripe.Charge | null {
  const charge = typeof payment === 'object' ? (payment?.latest_charge ?? null) : null
  return typeof charge === 'object' ? charge : null
}

/** The time of a charge in Stripe's reports. */
export const chargedAt = (charge: Stripe.Charge | null): Date | null =>
  charge === null ? null : new Date(charge.created * 1000)

/**
 * A fee in the currency of the price. Stripe reports the fee and the amount in the account's currency; the
 * fee's share of that amount is applied to the price.
 * https://docs.stripe.com/api/balance_transactions/object#balance_transaction_object-fee
 */
function partOf(
  balance: string | Stripe.BalanceTransaction | null | undefined,
  micros: bigint,
): bigint | null {
  if (typeof balance !== 'object' || balance === null || balance.amount === 0) return null
  const [fee, amount] = [BigInt(balance.fee), BigInt(balance.amount)]
  return (micros * fee) / (amount < 0n ? -amount : amount)
}

/** The fee of a charge; null while Stripe has not booked it. */
const feeOf = ({ balance_transaction: balance }: Stripe.Charge, priceMicros: bigint): bigint | null =>
  partOf(balance, priceMicros)

/**
 * Adds fees, refunds and disputes to a finding; the charge was read with `balance_transaction`. A payment
 * that is asked for by its own id always has its refunds read: a refund or a dispute caused the question, and
 * the charge does not show refunds that failed.
 */
export async function moneyOf(
  client: Stripe,
  finding: Finding,
  charge: Stripe.Charge,
  isAskedByPayment: boolean,
): Promise<Finding> {
  const { payment_intent: payment } = charge
  const paymentId = typeof payment === 'string' ? payment : payment?.id
  const feeMicros = feeOf(charge, finding.price.micros)
  if (paymentId === undefined) return { ...finding, feeMicros }
  const mayBeReturned = charge.amount_refunded > 0 || isAskedByPayment
  return {
    ...finding,
    feeMicros,
    ...(mayBeReturned ? { refunds: await refundsOf(client, paymentId) } : {}),
    ...(finding.isDisputed ? await disputesOf(client, paymentId) : {}),
  }
}

/** https://docs.stripe.com/api/refunds/object#refund_object-status */
export function refundState(status: string | null): RefundState {
  if (status === 'succeeded') return 'sent'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'waiting'
}

function refundsOf(client: Stripe, payment: string): Promise<FoundRefund[]> {
  const all = async () => {
    const found: FoundRefund[] = []
    const query = { payment_intent: payment, limit: 100, expand: ['data.balance_transaction'] }
    for await (const refund of client.refunds.list(query)) {
      const micros = BigInt(refund.amount) * microsPerCent
      found.push({
        refundId: refund.id,
        name: refund.metadata?.['refund'] ?? null,
        price: { currency: refund.currency.toUpperCase(), micros },
        state: refundState(refund.status),
        madeAt: new Date(refund.created * 1000),
        feeMicros: partOf(refund.balance_transaction, micros),
      })
    }
    return found
  }
  return asked('asking for the refunds of a payment', all())
}

/**
 * https://docs.stripe.com/api/disputes/object#dispute_object-status; those of an inquiry begin with
 * `warning_`.
 */
const disputeStates: Readonly<Record<string, DisputeState>> = {
  warning_needs_response: 'needs_response',
  needs_response: 'needs_response',
  warning_under_review: 'under_review',
  under_review: 'under_review',
  warning_closed: 'won',
  prevented: 'won',
  won: 'won',
  lost: 'lost',
}
const disputeState = (status: string): DisputeState => disputeStates[status] ?? 'needs_response'

/**
 * The disputes of a payment, the newest first: `evidence_details.due_by` is when Stripe stops taking
 * evidence.
 */
async function disputesOf(client: Stripe, payment: string): Promise<Pick<Finding, 'dispute' | 'disputes'>> {
  const { data } = await asked(
    'asking for the disputes of a payment',
    client.disputes.list({ payment_intent: payment, limit: 100 }),
  )
  const disputes = data.map((dispute): FoundDispute => {
    const dueBy = dispute.evidence_details.due_by
    const micros = BigInt(dispute.amount) * microsPerCent
    return {
      disputeId: dispute.id,
      state: disputeState(dispute.status),
      respondBy: dueBy === null ? null : new Date(dueBy * 1000),
      price: { currency: dispute.currency.toUpperCase(), micros },
      openedAt: new Date(dispute.created * 1000),
      // Stripe withdraws and returns the money in one balance transaction each, with the fee apart from the
      // amount. A returned fee is negative.
      isWithdrawn: dispute.balance_transactions.reduce((sum, { amount }) => sum + amount, 0) < 0,
      feeMicros: dispute.balance_transactions.reduce((sum, one) => sum + (partOf(one, micros) ?? 0n), 0n),
    }
  })
  const [newest] = disputes
  if (newest === undefined) return {}
  return { dispute: { state: newest.state, respondBy: newest.respondBy }, disputes }
}

/** The refunds and disputes since a time. Stripe's client paginates by itself. */
export function changes(client: Stripe, since: Date): Promise<ListedChange[]> {
  const query = { created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 }
  const all = async () => {
    const found: ListedChange[] = []
    const add = (
      payment: string | Stripe.PaymentIntent | null,
      { id, state }: Pick<ListedChange, 'id' | 'state'>,
    ) => {
      const lookAt = typeof payment === 'string' ? payment : payment?.id
      if (lookAt !== undefined) found.push({ id, lookAt, state })
    }
    for await (const { id, payment_intent: payment, status } of client.refunds.list(query))
      add(payment, { id, state: refundState(status) })
    for await (const { id, payment_intent: payment, status } of client.disputes.list(query))
      add(payment, { id, state: disputeState(status) })
    return found
  }
  return asked('asking for refunds and disputes', all())
}
