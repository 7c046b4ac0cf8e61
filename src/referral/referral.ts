/**
 * Inviters and the shares that they earn. README.md has the rules. The functions that move money return
 * postings, which the caller makes part of the ledger transaction of the purchase or its refund.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { countInvited, type Person, personOf } from '#accounts'
import type { DB } from '#db'
import { customer, house, post, type Posting, referralBalance } from '#ledger'
import { least } from '#lib/bigint'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { reducePayout, requestedMicros } from './payout.open.ts'
import { credit, lockReferrer, setOwed } from './referrer.ts'
import { payDebt, shareOf, takeBack, undonePart } from './share.ts'

export { referralParts } from './export.ts'
export { type Campaign, campaigns } from './campaigns.ts'
export { type PayoutNotice, payoutNoticeTask } from './payout.tell.ts'
export { type PayoutRules } from './payouts.ts'
export {
  erasePayouts,
  hasOpenPayout,
  listPayouts,
  type Payout,
  payoutById,
  type PayoutFilter,
  payoutAccounts,
  payPayout,
  refusePayout,
  takePayout,
  waitingPayouts,
} from './payouts.desk.ts'
export { verifyPayouts } from './payouts.verify.ts'

/** The operator's share for inviters without their own, in parts per million of the payment. */
export async function defaultSharePpm(db: Kysely<DB>): Promise<number> {
  const row = await db.selectFrom('referral_terms').select('default_share_ppm').executeTakeFirstOrThrow()
  return row.default_share_ppm
}

/** Sets the operator's share; invoices that have earned a share keep theirs. */
export async function setDefaultSharePpm(db: Kysely<DB>, sharePpm: number): Promise<void> {
  await db.updateTable('referral_terms').set({ default_share_ppm: sharePpm }).execute()
}

async function sharePpmOf(db: Kysely<DB>, persPercentPpm: number): Promise<number> {
  return persPercentPpm > 0 ? persPercentPpm : await defaultSharePpm(db)
}

/** The data of the referral tab. */
export async function referralInfo(db: Kysely<DB>, accountId: bigint) {
  const person = await personOf(db, accountId)
  const [balanceMicros, invited, sharePpm] = await Promise.all([
    referralBalance(db, accountId),
    countInvited(db, accountId),
    sharePpmOf(db, person.persPercentPpm),
  ])
  return { balanceMicros, invited, sharePpm, refCode: person.refCode }
}

/**
 * The inviter's share of an invoice after a payment of real money. `paidMicros` is all money that the invoice
 * has kept so far, at most its price: the share of earlier payments is not earned again.
 */
export async function earnShare(
  tx: Transaction<DB>,
  {
    invoiceId,
    buyer: { invitedBy },
    paidMicros,
  }: { invoiceId: bigint; buyer: Pick<Person, 'invitedBy'>; paidMicros: bigint },
  now: Date,
): Promise<Posting[]> {
  if (invitedBy === null) return []
  const owed = await lockReferrer(tx, invitedBy)
  const known = await earningOf(tx, invoiceId)
  const sharePpm = known?.share_ppm ?? (await sharePpmOf(tx, (await personOf(tx, invitedBy)).persPercentPpm))
  const kept = known === undefined ? 0n : known.earned_micros - known.undone_micros
  const more = shareOf(paidMicros, sharePpm) - kept
  if (more <= 0n) return []
  await tx
    .insertInto('referral_earning')
    .values({
      invoice_id: invoiceId,
      inviter_id: invitedBy,
      share_ppm: sharePpm,
      earned_micros: more,
      earned_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .column('invoice_id')
        .doUpdateSet((row) => ({ earned_micros: row('referral_earning.earned_micros', '+', more) })),
    )
    .execute()
  return credit(tx, { accountId: invitedBy, micros: more, from: house.referralCost(), owed })
}

/**
 * Takes the inviter's share back in proportion to the refunded money: from the balance, then from a payout
 * that is requested and not yet being sent. The part that is already spent becomes a debt: later shares pay
 * it first, and nothing goes below zero.
 */
export async function undoShare(
  tx: Transaction<DB>,
  {
    invoiceId,
    refundedMicros,
    paidMicros,
  }: { invoiceId: bigint; refundedMicros: bigint; paidMicros: bigint },
  now: Date,
): Promise<Posting[]> {
  const earning = await earningOf(tx, invoiceId)
  if (earning === undefined) return []
  const owed = await lockReferrer(tx, earning.inviter_id)
  const kept = earning.earned_micros - earning.undone_micros
  const undone = undonePart(kept, { refundedMicros, paidMicros })
  const balance = await referralBalance(tx, earning.inviter_id)
  const requested = await requestedMicros(tx, earning.inviter_id)
  const after = takeBack(undone, { balance, requested, owed })
  await tx
    .updateTable('referral_earning')
    .set({ undone_micros: earning.undone_micros + undone })
    .where('invoice_id', '=', invoiceId)
    .execute()
  await setOwed(tx, earning.inviter_id, after.owed)
  if (after.fromRequest > 0n) await reducePayout(tx, earning.inviter_id, after.fromRequest, now)
  return [
    { account: customer.referral(earning.inviter_id), amount: -after.taken },
    ...(after.fromRequest === 0n
      ? []
      : [{ account: customer.referralPayout(earning.inviter_id), amount: -after.fromRequest }]),
    { account: house.referralCost(), amount: after.taken + after.fromRequest },
  ]
}

/**
 * Pays from the referral balance. Refuses with `insufficient_referral_balance`, stating the balance in USD.
 */
export async function spendShares(
  tx: Transaction<DB>,
  accountId: bigint,
  micros: bigint,
): Promise<Posting[]> {
  await lockReferrer(tx, accountId)
  const balance = await referralBalance(tx, accountId)
  if (balance < micros) {
    throw new Refusal('insufficient_referral_balance', {
      balance: usdToWire(balance),
      cost: usdToWire(micros),
    })
  }
  return [
    { account: customer.referral(accountId), amount: -micros },
    { account: house.referralSpent(), amount: micros },
  ]
}

/** All shares that a customer has earned as an inviter, less those that refunds have undone. */
export async function sharesEarned(db: Kysely<DB>, accountId: bigint): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(earned_micros - undone_micros), 0)::bigint as micros from referral_earning
    where inviter_id = ${accountId}`.execute(db)
  return rows[0]?.micros ?? 0n
}

/** The part of a customer's shares that is paid out or reserved for a payout, micro-USD. */
export async function sharesTakenOut(db: Kysely<DB>, accountId: bigint): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(micros), 0)::bigint as micros from referral_payout
    where account_id = ${accountId} and state in ('requested', 'sending', 'paid')`.execute(db)
  return rows[0]?.micros ?? 0n
}

/**
 * All customers' debts of revoked shares, and the part of such debts repaid by money from staff; micro-USD.
 */
export async function owedByAll(db: Kysely<DB>): Promise<{ owedMicros: bigint; paidByGiftsMicros: bigint }> {
  const { rows } = await sql<{ owedMicros: bigint; paidByGiftsMicros: bigint }>`
    select coalesce(sum(owed_micros), 0)::bigint as "owedMicros", coalesce(sum(gifts_owed_micros), 0)::bigint as "paidByGiftsMicros"
    from referrer`.execute(db)
  return rows[0] ?? { owedMicros: 0n, paidByGiftsMicros: 0n }
}

/** Returns a payment from the referral balance; the customer's debt is paid from it first. */
export async function unspendShares(
  tx: Transaction<DB>,
  accountId: bigint,
  micros: bigint,
): Promise<Posting[]> {
  const owed = await lockReferrer(tx, accountId)
  return credit(tx, { accountId, micros, from: house.referralSpent(), owed })
}

/** The share that the buyer's inviter earned from an invoice, micro-USD; null: none. */
export async function earnedOf(db: Kysely<DB>, invoiceId: bigint) {
  const row = await db
    .selectFrom('referral_earning')
    .select([
      'inviter_id as inviterId',
      'share_ppm as sharePpm',
      'earned_micros as earnedMicros',
      'undone_micros as undoneMicros',
    ])
    .where('invoice_id', '=', invoiceId)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Credits money from staff to a customer's referral balance; a debt is repaid first.
 */
export async function giveMoney(tx: Transaction<DB>, gift: MoneyMove): Promise<void> {
  const { accountId, micros, kind, reference } = gift
  const owed = await lockReferrer(tx, accountId)
  const paid = owed - payDebt(micros, owed).owed
  if (paid > 0n)
    await tx
      .updateTable('referrer')
      .set((row) => ({ gifts_owed_micros: row('gifts_owed_micros', '+', paid) }))
      .where('account_id', '=', accountId)
      .execute()
  await post(tx, {
    kind,
    reference,
    postings: await credit(tx, { accountId, micros, from: house.referralCost(), owed }),
  })
}

/** Debits up to `micros` from the referral balance and returns the amount. */
export async function takeMoney(tx: Transaction<DB>, move: MoneyMove): Promise<bigint> {
  const { accountId, micros, kind, reference } = move
  await lockReferrer(tx, accountId)
  const taken = least(micros, await referralBalance(tx, accountId))
  if (taken > 0n)
    await post(tx, {
      kind,
      reference,
      postings: [
        { account: customer.referral(accountId), amount: -taken },
        { account: house.referralCost(), amount: taken },
      ],
    })
  return taken
}

/** Money moved by staff. The ledger requires each pair of kind and reference to be unique. */
export interface MoneyMove {
  accountId: bigint
  micros: bigint
  kind: string
  reference: string
}

/** Micro-USD that later shares of this customer pay off before they can be spent. */
export async function owedMicros(db: Kysely<DB>, accountId: bigint): Promise<bigint> {
  const row = await db
    .selectFrom('referrer')
    .select('owed_micros')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.owed_micros ?? 0n
}

function earningOf(tx: Transaction<DB>, invoiceId: bigint) {
  return tx.selectFrom('referral_earning').selectAll().where('invoice_id', '=', invoiceId).executeTakeFirst()
}
