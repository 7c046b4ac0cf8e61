/**
 * The calls of documents. Another customer's invoice is refused like one that does not exist:
 * `invoice_not_found`.
 */
import type { Parsed } from '#contract/contract'
import { printable } from '#contract/desk/content'
import type { documentsWire } from '#contract/documents/calls'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { parseId } from '#lib/bigint'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { findInvoice, type Invoice } from '#purchase'
import { type BuyerDetails, buyerDetails, documentFile, documentsOf, setBuyerDetails } from './documents.ts'

async function own(number: string, context: Context): Promise<Invoice> {
  const invoice = await findInvoice(context.database.db, number)
  if (invoice === null || invoice.accountId !== callerOf(context).id) throw new Refusal('invoice_not_found')
  return invoice
}

const shown = (details: BuyerDetails | null) => ({
  name: details?.name ?? '',
  address: details?.address ?? '',
  tax_id: details?.taxId ?? '',
})

/** Null: all is empty. Refuses with `buyer_name_missing` and `buyer_details_letters`. */
function detailsOf(input: Parsed<'set_buyer_details'>): BuyerDetails | null {
  for (const field of ['name', 'address', 'tax_id'] as const)
    if (!printable.test(input[field])) throw new Refusal('buyer_details_letters', { field })
  const [name, address, taxId] = [input.name.trim(), input.address.trim(), input.tax_id.trim()]
  if (name === '' && (address !== '' || taxId !== '')) throw new Refusal('buyer_name_missing')
  return name === '' ? null : { name, address, taxId }
}

export const documentCalls = {
  invoice_documents: async ({ number }, context) => {
    const invoice = await own(number, context)
    return (await documentsOf(context.database.db, invoice.id)).map((line) => ({
      id: String(line.id),
      kind: line.kind,
      number: line.number,
      specimen: line.isSpecimen,
      amount_usd: usdToWire(line.amountMicros),
      issued_at: line.issuedAt.toISOString(),
      sha256: line.sha256,
    }))
  },
  invoice_document: async ({ number, id: text }, context) => {
    const invoice = await own(number, context)
    const id = parseId(text)
    const file = id === null ? null : await documentFile(context.database.db, { id, invoiceId: invoice.id })
    if (file === null) throw new Refusal('document_not_found')
    return { ...file, content_type: 'application/pdf' }
  },
  buyer_details: async (_input, context) =>
    shown(await buyerDetails(context.database.db, callerOf(context).id)),
  set_buyer_details: async (input, context) => {
    const details = detailsOf(input)
    await setBuyerDetails(context.database.db, callerOf(context).id, details, context.now())
    return shown(details)
  },
} satisfies HandlersOf<typeof documentsWire>
