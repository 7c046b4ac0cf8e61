/** Fiscal receipts at YooKassa: https://yookassa.ru/developers/payment-acceptance/receipts/54fz/basics. */
import * as z from 'zod'
import { usdText } from '#lib/money'
import { ask } from '../ask.ts'
import type { ClosingReceipt, FiscalMethod, FoundReceipt } from '../fiscal.ts'
import { post, to, type YookassaOptions } from './yookassa.ask.ts'

const receiptShape = z.object({
  id: z.string(),
  type: z.enum(['payment', 'refund']),
  status: z.enum(['pending', 'succeeded', 'canceled']),
  fiscal_document_number: z.string().nullish(),
  fiscal_storage_number: z.string().nullish(),
  fiscal_attribute: z.string().nullish(),
  fiscal_provider_id: z.string().nullish(),
  registered_at: z.iso.datetime({ offset: true }).nullish(),
  settlements: z.array(z.object({ type: z.string() })).nullish(),
})
const receiptPageShape = z.object({ items: z.array(receiptShape) })

export function fiscalOf(options: YookassaOptions): FiscalMethod {
  return {
    list: (of) => listReceipts(options, of),
    close: (closing) => closeReceipt(options, closing),
  }
}

function foundOf(receipt: z.infer<typeof receiptShape>): FoundReceipt {
  const settles = receipt.settlements?.some(({ type }) => type === 'prepayment') ?? false
  const { registered_at: registeredAt } = receipt
  return {
    receiptId: receipt.id,
    kind: receipt.type === 'refund' ? 'refund' : settles ? 'closing' : 'payment',
    status: receipt.status,
    documentNumber: receipt.fiscal_document_number ?? null,
    storageNumber: receipt.fiscal_storage_number ?? null,
    attribute: receipt.fiscal_attribute ?? null,
    providerId: receipt.fiscal_provider_id ?? null,
    registeredAt: registeredAt === null || registeredAt === undefined ? null : new Date(registeredAt),
  }
}

/**
 * All receipts of a payment or a refund, at most 30: https://yookassa.ru/developers/api#get_receipts_list.
 */
async function listReceipts(
  options: YookassaOptions,
  of: Parameters<FiscalMethod['list']>[0],
): Promise<FoundReceipt[]> {
  const { url, headers } = to(options, 'receipts')
  const subject = 'payment' in of ? { payment_id: of.payment } : { refund_id: of.refund }
  url.search = new URLSearchParams({ ...subject, limit: '100' }).toString()
  const { items } = await ask({ method: 'GET', url, headers, timeoutMs: options.timeoutMs }, receiptPageShape)
  return items.map(foundOf)
}

/** YooKassa discards keys after a day; receipts remain. */
async function closeReceipt(
  options: YookassaOptions,
  { number, externalId, price, receipt }: ClosingReceipt,
): Promise<FoundReceipt> {
  const made = (await listReceipts(options, { payment: externalId })).find(({ kind }) => kind === 'closing')
  if (made !== undefined) return made
  const amount = { value: usdText(price.micros, 2), currency: price.currency }
  const answer = await post(
    options,
    {
      path: 'receipts',
      key: `closing-${number}`,
      body: {
        type: 'payment',
        payment_id: externalId,
        ...receipt,
        settlements: [{ type: 'prepayment', amount }],
        send: true,
      },
    },
    receiptShape,
  )
  return foundOf(answer)
}
