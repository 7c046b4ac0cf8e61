/**
 * Traffic that a money balance has bought, taken back when the money of a top-up goes back to its payer: the
 * purchases are refunded to the balance, the newest first, as far as their traffic is unused.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { least } from '#lib/bigint'
import { upToCent } from '#contract/price'
import { lockTraffic } from '#traffic'
import { callOwnBack, findOwn } from './lots/own.taking.ts'
import { type Invoice, invoiceRows, isTopUp, lockInvoice, readRow } from './invoices/invoice.ts'
import { bookRefund, nameOf, refundableMicros } from './refund.ts'
import { bytesFor, moneyFor } from './rules/refund.ts'
import { lockMoney, moneyOf } from './balance/money.ts'
import { frozenOf } from './balance/withheld.ts'

/** The most purchases that are looked at; of older ones hardly anything is left. */
const most = 100

const paidFromBalance = (db: Kysely<DB>, accountId: bigint) =>
  invoiceRows(db)
    .where('account_id', '=', accountId)
    .where('method', '=', 'balance')
    .where('state', 'in', ['paid', 'partly_refunded'])
    .orderBy('id', 'desc')
    .limit(most)

/** Recalls the leases of what an invoice has bought; of a top-up, of what the balance has bought. */
export async function callBoughtBack(db: Kysely<DB>, invoice: Invoice): Promise<void> {
  if (!isTopUp(invoice)) return callOwnBack(db, invoice)
  const rows = await paidFromBalance(db, invoice.accountId).execute()
  const newest = new Map(rows.toReversed().map((row) => [row.pool, readRow(row)]))
  for (const one of newest.values()) await callOwnBack(db, one)
}

/**
 * Returns unused traffic to the balance of a customer until a locked top-up can give back this much, or nothing
 * unused is left.
 */
export async function returnSpent(
  tx: Transaction<DB>,
  topUp: Invoice,
  micros: bigint,
  now: Date,
): Promise<void> {
  const { accountId } = topUp
  const has = async () => (await moneyOf(tx, accountId)).micros + (await frozenOf(tx, topUp.id))
  for (const id of await lockBought(tx, accountId)) {
    const missing = micros - (await has())
    if (missing <= 0n) return
    await returnOne(tx, await lockInvoice(tx, id), missing, now)
  }
}

/**
 * Locks the balance with the purchases that it has paid for, so that nothing more is bought from it, given away
 * or withheld for another dispute until the transaction ends. Returns the purchases, the newest first.
 */
async function lockBought(tx: Transaction<DB>, accountId: bigint): Promise<bigint[]> {
  const bought = async () => {
    const { rows } = await sql<{ id: bigint }>`
      select id from invoice where account_id = ${accountId} and method = 'balance'
        and state in ('paid', 'partly_refunded') order by id desc limit ${most} for update`.execute(tx)
    return rows.map(({ id }) => id)
  }
  // A refund of a purchase locks it before the account.
  await bought()
  await sql`select from account where id = ${accountId} for no key update`.execute(tx)
  await lockTraffic(tx, accountId)
  await lockMoney(tx, accountId)
  // What was bought meanwhile too.
  return bought()
}

async function returnOne(tx: Transaction<DB>, invoice: Invoice, missing: bigint, now: Date): Promise<void> {
  const room = await refundableMicros(tx, invoice)
  const { bytes } = await findOwn(tx, invoice, bytesFor(invoice, 'unused'))
  const unused = least(room, moneyFor(invoice, 'unused', bytes))
  const what = least(unused, upToCent(missing))
  if (what <= 0n) return
  const name = nameOf(invoice.number)
  await bookRefund(tx, invoice, { name, what, room, isWholeOnly: false, way: 'balance' }, now)
}
