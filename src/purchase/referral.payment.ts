/** Paying from the referral balance. */
import { sql, type Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { bytesPerGb } from '#contract/wire'
import { least, most } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import { countUse } from '#promo'
import { ensureAccess } from '#proxies'
import { sharesEarned, sharesTakenOut, spendShares } from '#referral'
import { creditTraffic, openMeter } from '#traffic'
import { needDocument } from './documents.due.ts'
import { asOneOperation, hasPurchased, newInvoiceNumber, ownInvoice, writeInvoice } from './invoice.ts'
import { paidMicros } from './lots/purchase.lots.ts'
import { type Order, quoteOrder } from './order.ts'
import type { PurchaseDeps } from './settlement.ts'

const method = 'referral'

/**
 * Buys from the customer's own referral balance: debit, traffic and a paid invoice in one transaction. It is
 * not new money, so the inviter earns nothing. Returns the invoice's number. Refuses with
 * `insufficient_referral_balance`, `promocode_…` (see `holdUse`), `invalid_pool`, `amount_too_small`,
 * `amount_too_large`.
 */
export function payFromReferral(
  database: Database,
  { secrets, noteSale }: Pick<PurchaseDeps, 'secrets' | 'noteSale'>,
  order: Order,
  now: Date,
): Promise<string> {
  return asOneOperation(database.db, order, async () => {
    const { number, paidMicros } = await transaction(database.db, (tx) => pay(tx, secrets, order, now))
    const sale = { method, pool: order.pool, micros: paidMicros }
    if (paidMicros > 0n) for (const event of ['created', 'paid'] as const) noteSale({ event, ...sale })
    return number
  })
}

async function pay(
  tx: Transaction<DB>,
  secrets: PurchaseDeps['secrets'],
  order: Order,
  now: Date,
): Promise<{ number: string; paidMicros: bigint }> {
  const { accountId, pool, language, gb, number = newInvoiceNumber() } = order
  // Paid by an earlier attempt whose answer was lost.
  if (order.number !== undefined && (await ownInvoice(tx, accountId, number)) !== null)
    return { number, paidMicros: 0n }
  const { quote, promo } = await quoteOrder(tx, order, { invoice: number, until: now }, now)
  if (promo !== null)
    await countAtOnce(tx, { promocodeId: promo.promocodeId, accountId, invoice: number }, now)
  const access = await ensureAccess(tx, secrets, { accountId, pool })
  await openMeter(tx, { accessId: access.id, accountId, pool })
  const postings = await spendShares(tx, accountId, quote.costMicros)
  // Under the lock of the balance, which spending takes.
  const fromShares = least(
    quote.costMicros,
    most(
      0n,
      (await sharesEarned(tx, accountId)) -
        (await sharesTakenOut(tx, accountId)) -
        (await sharesSpent(tx, accountId)),
    ),
  )
  const id = await writeInvoice(
    tx,
    { number, accountId, method, language, quote, promo, expiresAt: now },
    now,
  )
  const bytes = gb * bytesPerGb
  const reference = `${method}:${number}`
  await creditTraffic(tx, {
    accessId: access.id,
    bytes,
    part: 'paid',
    kind: 'purchase',
    reference,
    postings,
  })
  await tx
    .updateTable('invoice')
    .set({
      state: 'paid',
      received_micros: quote.costMicros,
      from_shares_micros: fromShares,
      credited_bytes: bytes,
      settled_at: now,
    })
    .where('id', '=', id)
    .execute()
  await needDocument(tx, { id, state: 'paid' }, now)
  return { number, paidMicros: quote.costMicros }
}

/** The part of a customer's orders that was paid from shares, less refunds. */
async function sharesSpent(tx: Transaction<DB>, accountId: bigint): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(${paidMicros}), 0)::bigint as micros from invoice i
    where i.account_id = ${accountId} and i.method = ${method} and i.settled_at is not null`.execute(tx)
  return rows[0]?.micros ?? 0n
}

/**
 * The use was just held in this transaction, under the code's lock: only another purchase can have made it
 * invalid.
 */
async function countAtOnce(
  tx: Transaction<DB>,
  use: { promocodeId: bigint; accountId: bigint; invoice: string },
  now: Date,
): Promise<void> {
  if (!(await countUse(tx, { ...use, hasPurchased }, now))) throw new Refusal('promocode_first_purchase')
}
