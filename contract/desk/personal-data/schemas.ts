/** Export and erasure of a customer’s data. */
import * as z from 'zod'
import { amount, changed, id, moment, pool, reason, time } from '../schemas.ts'
import { personalPartNames } from '../choices.ts'

export const exportInput = z.strictObject({ id, reason })

/** A link to the file, for one use. */
export const download = z.object({ href: z.string(), expires_at: time })

const left = z.object({
  /** The pools in which traffic is left. */
  pools: z.array(z.object({ pool, bytes: amount })),
  /** The referral balance. */
  micros: amount,
  /** The money balance. */
  money_micros: amount,
})

export const previewErasureInput = z.strictObject({ id })

export const erasurePreview = z.object({
  erased_at: time.nullable(),
  /** When the customer asked for it; null: they did not. */
  asked_at: time.nullable(),
  /** What prevents the erasure, with the numbers of the invoices. */
  obstacles: z.array(
    z.object({
      kind: z.enum(['open_invoice', 'dispute', 'refund_due', 'receipt_due', 'open_payout']),
      invoices: z.array(z.string()),
    }),
  ),
  left,
  /** The parts of the data, each with its number of rows, at most 10,000, and what an erasure does to it. */
  parts: z.array(
    z.object({
      name: z.enum(personalPartNames),
      at_erasure: z.enum(['removed', 'anonymised', 'kept']),
      rows: z.number(),
    }),
  ),
})

export const eraseInput = z.strictObject({
  id,
  reason,
  /** Remaining balances are written off; without this, an erasure with a remaining balance is refused. */
  write_off: z.boolean(),
  /** What the preview showed. A request since changed, or a larger balance, is refused with `erasure_changed`. */
  seen: z.strictObject({ asked_at: moment.nullable(), left }),
})

export const erased = z.object({ written_off: left })

export const declineErasureInput = z.strictObject({ id, reason })

export const personalDataDeskSchemas = {
  export_customer: { input: exportInput, output: download },
  preview_erasure: { input: previewErasureInput, output: erasurePreview },
  erase_customer: { input: eraseInput, output: erased },
  decline_erasure: { input: declineErasureInput, output: changed },
} as const
