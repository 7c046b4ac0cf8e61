/** The schemas of the address of fiscal receipts. */
import * as z from 'zod'
import * as rules from '../schemas.rules.ts'
import { empty } from '../schemas.ts'

const receiptEmailInput = z.strictObject({ email: rules.email.nullable() })
const receiptEmail = z.object({
  /** Null: there is none. */
  email: z.string().nullable(),
  /** The address was given for receipts; false: it is the account's e-mail address. */
  is_own: z.boolean(),
  /** The payment methods that need an address for receipts. */
  needed_for: z.array(z.string()),
})

export const receiptsSchemas = {
  receipt_email: { input: empty, output: receiptEmail },
  set_receipt_email: { input: receiptEmailInput, output: receiptEmail },
} as const
