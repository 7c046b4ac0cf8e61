/** What a refund would do now. */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { least } from '#lib/bigint'
import { type Invoice, isTopUp } from './invoices/invoice.ts'
import { findOwn } from './lots/own.taking.ts'
import { type Refund, refundableMicros, takenByPool, withheldOf } from './refund.ts'
import { bytesFor, moneyFor, type RefundOf } from './rules/refund.ts'

/**
 * The money a refund would return now, the traffic it would take, by pool, and the traffic that was given to
 * others.
 */
export interface RefundPreview extends Pick<Refund, 'byPool' | 'givenBytes'> {
  takenBytes: bigint
  usdMicros: bigint
}

/** What a refund of all that is left, of the unused part, or of an amount would do now. */
export async function refundPreview(
  db: Kysely<DB>,
  invoice: Invoice,
  what: RefundOf = 'all',
): Promise<RefundPreview> {
  const room = await refundableMicros(db, invoice)
  const wanted = bytesFor(invoice, what)
  const withheld = least(wanted, await withheldOf(db, invoice.id))
  const own = await findOwn(db, invoice, wanted - withheld)
  const byPool = takenByPool(own, invoice.pool, own.bytes)
  if (withheld > 0n) byPool.set(invoice.pool, (byPool.get(invoice.pool) ?? 0n) + withheld)
  const takenBytes = own.bytes + withheld
  return {
    byPool,
    takenBytes,
    givenBytes: own.givenBytes,
    usdMicros: least(room, moneyFor(invoice, what, takenBytes)),
  }
}

/** What the unused traffic of an invoice is worth now, whatever is planned to be returned of it. */
export async function unusedMicros(db: Kysely<DB>, invoice: Invoice): Promise<bigint> {
  if (isTopUp(invoice)) return refundableMicros(db, invoice)
  const wanted = bytesFor(invoice, 'unused')
  const withheld = least(wanted, await withheldOf(db, invoice.id))
  const { bytes } = await findOwn(db, invoice, wanted - withheld)
  return moneyFor(invoice, 'unused', bytes + withheld)
}
