/** Refunds: what they would do, how they stand, and what returned money of processors is worth. */
import * as z from 'zod'
import { refundStates, refundWays } from '../choices.ts'
import { actKey, amount, done, id, page, pageOf, pool, positive, reason, time } from '../schemas.ts'

/** Where traffic of an invoice is taken from, and what of it was given to others, who keep it. */
const takenTraffic = z.object({ taken: z.array(z.object({ pool, bytes: amount })), given_bytes: amount })

const refundWhat = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('whole') }),
  z.strictObject({ kind: z.literal('unused') }),
  z.strictObject({ kind: z.literal('amount'), micros: positive }),
])
const previewRefundInput = z.strictObject({ number: z.string().max(64), what: refundWhat })
/** What a refund would do now: the money it returns, what then remains refundable, the traffic it takes. */
const refundPreview = takenTraffic.extend({
  refunded_micros: amount,
  left_micros: amount,
  taken_back_bytes: amount,
  way: z.enum(refundWays),
})
const refundInput = z.strictObject({
  number: z.string().max(64),
  what: refundWhat,
  /** Staff send the money, though the processor could. */
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
/** A planned refund was sent by hand. */
const sendRefundInput = z.strictObject({
  id: z.string().max(64),
  /** The note that staff enter. */
  reference: z.string().trim().min(1).max(200).optional(),
  reason,
})
const dropRefundInput = z.strictObject({ id: z.string().max(64), reason })

/** What a refund in another currency is worth, in that of the invoice; 0: it has returned nothing of it. */
const settleReturnInput = z.strictObject({
  number: z.string().max(64),
  /** Of the refund, as the processor calls it. */
  id: z.string().max(200),
  /** In whole cents. */
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
