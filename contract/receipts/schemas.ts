/** The schemas of the address of fiscal receipts. */
import * as z from 'zod'
import * as rules from '../schemas.rules.ts'
import { empty } from '../schemas.ts'

const receiptEmailInput = z.strictObject({ email: rules.email.nullable() })
const receiptEmail = z.object({
  /** Null: there is none. */
  email: z.string().nullable(),
  /** It was given for receipts; otherwise it is the e-mail of the account. */
  is_own: z.boolean(),
  /** The payment methods that need it. */
  needed_for: z.array(z.string()),
})

export const receiptsSchemas = {
  receipt_email: { input: empty, output: receiptEmail },
  set_receipt_email: { input: receiptEmailInput, output: receiptEmail },
} as const
