/**
 * The money balances of customers: paid in advance, spent on traffic. The functions return postings, which the
 * caller makes part of the ledger transaction of the payment, the purchase or the refund. Each of them locks
 * the customer's row of `money_balance` first.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { type AccountKey, customer, house, type Posting } from '#ledger'
import { least, most } from '#lib/bigint'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'

/** The money of a customer, in micro-USD. */
export interface Money {
  /** What can be spent. */
  micros: bigint
  /** What disputes of top-ups withhold. */
  frozenMicros: bigint
  /** What later money pays off first. */
  owedMicros: bigint
}

/** The money balance of a customer. */
export async function moneyOf(db: Kysely<DB>, accountId: bigint): Promise<Money> {
  const { rows } = await sql<Money>`
    select coalesce(sum(b.balance) filter (where a.kind = 'money'), 0)::bigint as micros,
      coalesce(sum(b.balance) filter (where a.kind = 'money_frozen'), 0)::bigint as "frozenMicros",
      coalesce((select owed_micros from money_balance where account_id = ${accountId}), 0)::bigint as "owedMicros"
    from ledger_account a join ledger_balance b on b.account_id = a.id
    where a.customer_id = ${accountId} and a.kind in ('money', 'money_frozen')`.execute(db)
  return rows[0] ?? { micros: 0n, frozenMicros: 0n, owedMicros: 0n }
}

/** Locks the money balance of a customer until the transaction ends, and returns what is on it then. */
export async function lockMoney(tx: Transaction<DB>, accountId: bigint): Promise<Money> {
  await tx
    .insertInto('money_balance')
    .values({ account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await sql`select from money_balance where account_id = ${accountId} for no key update`.execute(tx)
  return moneyOf(tx, accountId)
}

/** The money of a balance that refunds of top-ups reserve, which staff will send by hand. */
export async function plannedOfMoney(db: Kysely<DB>, accountId: bigint): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(r.usd_micros), 0)::bigint as micros from refund r join invoice i on i.id = r.invoice_id
    where i.account_id = ${accountId} and i.pool = 'balance' and r.state = 'planned'`.execute(db)
  return rows[0]?.micros ?? 0n
}

interface Credited {
  accountId: bigint
  micros: bigint
  /** The account of the house that the money comes to. */
  from: AccountKey
}

/** Postings of money for a balance; the customer's debt is paid from it first. */
export async function creditMoney(
  tx: Transaction<DB>,
  { accountId, micros, from }: Credited,
): Promise<Posting[]> {
  const { owedMicros } = await lockMoney(tx, accountId)
  const repaid = least(micros, owedMicros)
  if (repaid > 0n) await setOwed(tx, accountId, owedMicros - repaid)
  return [
    { account: from, amount: micros },
    { account: house.moneyOwed(), amount: -repaid },
    ...onBalance(customer.money(accountId), micros - repaid),
  ]
}

interface Debited {
  accountId: bigint
  micros: bigint
  /** The account of the house that the money leaves, or is earned on. */
  to: AccountKey
}

/** Postings that pay from the balance. Refuses with `insufficient_balance`, stating what is missing in USD. */
export async function spendMoney(
  tx: Transaction<DB>,
  { accountId, micros, to }: Debited,
): Promise<Posting[]> {
  const { micros: held } = await lockMoney(tx, accountId)
  const balance = most(0n, held - (await plannedOfMoney(tx, accountId)))
  if (balance < micros) throw insufficient(balance, micros)
  return [{ account: to, amount: -micros }, ...onBalance(customer.money(accountId), -micros)]
}

const insufficient = (balance: bigint, cost: bigint) =>
  new Refusal('insufficient_balance', {
    balance: usdToWire(balance),
    cost: usdToWire(cost),
    missing: usdToWire(cost - balance),
  })

/**
 * Postings of money that was returned to the payer: as much as the balance has; the customer owes the rest.
 */
export async function takeMoney(tx: Transaction<DB>, { accountId, micros, to }: Debited): Promise<Posting[]> {
  const known = await lockMoney(tx, accountId)
  const taken = least(micros, known.micros)
  if (taken < micros) await setOwed(tx, accountId, known.owedMicros + micros - taken)
  return [
    { account: to, amount: -micros },
    { account: house.moneyOwed(), amount: micros - taken },
    ...onBalance(customer.money(accountId), -taken),
  ]
}

/** Postings that withhold at most this much of the balance, and how much that is. */
export async function freezeMoney(
  tx: Transaction<DB>,
  accountId: bigint,
  micros: bigint,
): Promise<{ frozen: bigint; postings: Posting[] }> {
  const frozen = least(micros, (await lockMoney(tx, accountId)).micros)
  const postings = [
    { account: customer.money(accountId), amount: -frozen },
    { account: customer.moneyFrozen(accountId), amount: frozen },
  ]
  return { frozen, postings }
}

/** Postings that release withheld money; a debt is paid from it first. */
export async function releaseMoney(
  tx: Transaction<DB>,
  accountId: bigint,
  micros: bigint,
): Promise<Posting[]> {
  const { owedMicros } = await lockMoney(tx, accountId)
  const repaid = least(micros, owedMicros)
  if (repaid > 0n) await setOwed(tx, accountId, owedMicros - repaid)
  return [
    ...onBalance(customer.moneyFrozen(accountId), -micros),
    ...onBalance(customer.money(accountId), micros - repaid),
    { account: house.moneyOwed(), amount: -repaid },
  ]
}

/** A change of customers' money balances, and of the shop's debt for them. */
const onBalance = (account: AccountKey, micros: bigint): Posting[] => [
  { account, amount: micros },
  { account: house.moneyHeld(), amount: -micros },
  { account: house.advances(), amount: -micros },
]

async function setOwed(tx: Transaction<DB>, accountId: bigint, owed: bigint): Promise<void> {
  await tx
    .updateTable('money_balance')
    .set({ owed_micros: owed })
    .where('account_id', '=', accountId)
    .execute()
}
