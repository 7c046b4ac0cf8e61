/** Fiscal receipts. */
import * as z from 'zod'
import { receiptRegistration } from '../schemas.ts'
import { receiptKinds, receiptNeeds, receiptRegistrars, receiptStates } from './choices.ts'
import { day, id, moment, page, pageOf, reason, time } from './schemas.ts'

export const receiptsInput = z.strictObject({
  ...page,
  state: z.enum(receiptStates).optional(),
  kind: z.enum(receiptKinds).optional(),
  need: z.enum(receiptNeeds).optional(),
  invoice: z.string().max(64).optional(),
  /** By the time of the payment or the refund. */
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})
/** The first columns of a file are what «Мой налог» asks for. */
export const receiptRow = z.object({
  /** When the money came or went. */
  at: time,
  kind: z.enum(receiptKinds),
  /** Decimal text in the currency. */
  amount: z.string(),
  currency: z.string(),
  /** What was sold, and to whom. */
  description: z.string(),
  customer_name: z.string().nullable(),
  invoice_number: z.string(),
  customer_id: id,
  id,
  method: z.string(),
  registrar: z.enum(receiptRegistrars),
  state: z.enum(receiptStates),
  /** It waits for staff; null: it does not. */
  need: z.enum(receiptNeeds).nullable(),
  ...receiptRegistration,
  fault: z.string().nullable(),
  due_at: time.nullable(),
  registered_at: time.nullable(),
})
export const receiptsPage = pageOf(receiptRow)

export const registerReceiptInput = z.strictObject({
  id,
  number: z.string().trim().min(1).max(64),
  /** Where the customer can see it. */
  link: z
    .url({ protocol: /^https$/ })
    .max(500)
    .nullish(),
  reason: reason.optional(),
})
