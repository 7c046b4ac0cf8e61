/** Refunds: their previews and states, and the worth of money that processors returned. */
import * as z from 'zod'
import { refundStates, refundWays } from '../choices.ts'
import { actKey, amount, done, id, page, pageOf, pool, positive, reason, time } from '../schemas.ts'

/** The traffic that a refund takes, by pool, and bytes of the invoice given to others, who keep them. */
const takenTraffic = z.object({ taken: z.array(z.object({ pool, bytes: amount })), given_bytes: amount })

const refundWhat = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('whole') }),
  z.strictObject({ kind: z.literal('unused') }),
  z.strictObject({ kind: z.literal('amount'), micros: positive }),
])
const previewRefundInput = z.strictObject({ number: z.string().max(64), what: refundWhat })
/** The effect of a refund now: the money it returns, the money still refundable, the traffic it takes. */
const refundPreview = takenTraffic.extend({
  refunded_micros: amount,
  left_micros: amount,
  taken_back_bytes: amount,
  way: z.enum(refundWays),
})
const refundInput = z.strictObject({
  number: z.string().max(64),
  what: refundWhat,
  /** Staff send the money by hand although the processor could make the refund. */
  by_hand: z.boolean().optional(),
  key: actKey,
  reason,
})
const refundDone = takenTraffic.extend({
  refunded_micros: amount,
  taken_back_bytes: amount,
  credited_bytes: amount,
})
const refunded = refundDone.extend({
  way: z.enum(refundWays),
  /** `planned`: nothing was taken yet. `failed`: the processor refused it, and nothing was taken. */
  state: z.enum(refundStates),
  fault: z.string().nullable(),
})
/** Notes that staff sent a planned refund by hand. */
const sendRefundInput = z.strictObject({
  id: z.string().max(64),
  /** A reference to the transfer, which staff enter. */
  reference: z.string().trim().min(1).max(200).optional(),
  reason,
})
const dropRefundInput = z.strictObject({ id: z.string().max(64), reason })

/** Sets what a refund in another currency is worth in the invoice's currency; 0: nothing of the invoice. */
const settleReturnInput = z.strictObject({
  number: z.string().max(64),
  /** The processor's id of the refund. */
  id: z.string().max(200),
  /** Micro-USD, in whole cents. */
  micros: z.string().regex(/^(?:0|[1-9]\d{0,13}0000)$/),
  reason,
})
const settledReturn = z.object({ refunded_micros: amount, taken_back_bytes: amount })

const paymentRefundsInput = z.strictObject({
  ...page,
  state: z.enum(refundStates).optional(),
  method: z.string().max(32).optional(),
})
/** Money that the shop gives back, the newest refund first. */
const paymentRefundsPage = pageOf(
  z.object({
    id: z.string(),
    invoice_number: z.string(),
    customer_id: id,
    customer_name: z.string().nullable(),
    method: z.string(),
    currency: z.string(),
    micros: amount,
    way: z.enum(refundWays),
    state: z.enum(refundStates),
    attempts: z.number(),
    fault: z.string().nullable(),
    reference: z.string().nullable(),
    asked_at: time,
    tried_at: time.nullable(),
    sent_at: time.nullable(),
  }),
)

export const refundsDeskSchemas = {
  preview_refund: { input: previewRefundInput, output: refundPreview },
  refund_invoice: { input: refundInput, output: refunded },
  send_refund: { input: sendRefundInput, output: refundDone },
  drop_refund: { input: dropRefundInput, output: done },
  settle_return: { input: settleReturnInput, output: settledReturn },
  payment_refunds: { input: paymentRefundsInput, output: paymentRefundsPage },
} as const
