/** Fiscal receipts at YooKassa: https://yookassa.ru/developers/payment-acceptance/receipts/54fz/basics. */
import * as z from 'zod'
import { usdText } from '#lib/money'
import { microsOf } from '../amount.ts'
import { ask, ProcessorFault } from '../ask.ts'
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
  settlements: z
    .array(z.object({ type: z.string(), amount: z.object({ value: z.string() }).nullish() }))
    .nullish(),
})
const receiptPageShape = z.object({ items: z.array(receiptShape) })

export function fiscalOf(options: YookassaOptions): FiscalMethod {
  return {
    list: (of) => listReceipts(options, of),
    close: (closing) => closeReceipt(options, closing),
  }
}

function foundOf(receipt: z.infer<typeof receiptShape>): FoundReceipt {
  const { settlements, registered_at: registeredAt } = receipt
  const settled = (settlements ?? []).filter(({ type }) => type === 'prepayment')
  return {
    receiptId: receipt.id,
    kind: receipt.type === 'refund' ? 'refund' : settled.length > 0 ? 'closing' : 'payment',
    settledMicros: settled.reduce((sum, { amount }) => sum + (microsOf(amount?.value ?? '') ?? 0n), 0n),
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
async function closeReceipt(options: YookassaOptions, closing: ClosingReceipt): Promise<FoundReceipt> {
  const { number, externalId, price, receipt, shared } = closing
  const made = await findMade(options, closing)
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
  const found = foundOf(answer)
  // A search took it for another purchase of the same sum; a new one can be made once the key has expired.
  if (shared?.others.includes(found.receiptId))
    throw new ProcessorFault(
      'unknown',
      `receipt ${found.receiptId} is that of another purchase; a new one is sent after a day`,
    )
  return found
}

/**
 * The receipt that an earlier attempt made, when its answer was lost. Closing receipts of a shared payment do
 * not name their purchase: only one of the same sum, which no other purchase holds, can be it.
 */
async function findMade(
  options: YookassaOptions,
  { externalId, price, shared }: ClosingReceipt,
): Promise<FoundReceipt | undefined> {
  if (shared !== null && !shared.isRepeated) return undefined
  const closings = (await listReceipts(options, { payment: externalId })).filter(
    ({ kind }) => kind === 'closing',
  )
  if (shared === null) return closings[0]
  return closings.find(
    ({ receiptId, settledMicros, status }) =>
      // One that was cancelled may be of a purchase that has another by now.
      status !== 'canceled' && settledMicros === price.micros && !shared.others.includes(receiptId),
  )
}
