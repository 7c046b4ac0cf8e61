/** The schemas of documents of invoices. */
import * as z from 'zod'
import { blob, empty, invoiceNumberInput, usd } from '../schemas.ts'

/** The documents of an invoice in PDF, the first first. */
const invoiceDocuments = z.array(
  z.object({
    id: z.string(),
    kind: z.enum(['invoice', 'credit_note']),
    number: z.string(),
    /** Of a test purchase or a demo: no document of a sale. */
    specimen: z.boolean(),
    amount_usd: usd,
    issued_at: z.string(),
    /** SHA-256 of the file, in hexadecimal digits. */
    sha256: z.string(),
  }),
)

const invoiceDocumentInput = z.strictObject({
  number: z.string().max(64),
  /** Of `invoice_documents`. */
  id: z.string().max(20),
})

/** What documents say of the buyer besides the account; all empty: nothing. */
const buyerDetailsInput = z.strictObject({
  name: z.string().max(200),
  address: z.string().max(300),
  tax_id: z.string().max(60),
})

const buyerDetails = z.object({ name: z.string(), address: z.string(), tax_id: z.string() })

export const documentsSchemas = {
  invoice_documents: { input: invoiceNumberInput, output: invoiceDocuments },
  invoice_document: { input: invoiceDocumentInput, output: blob },
  buyer_details: { input: empty, output: buyerDetails },
  set_buyer_details: { input: buyerDetailsInput, output: buyerDetails },
} as const
