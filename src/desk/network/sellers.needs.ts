/**
 * Conditions of the operator's purchases that need attention: stocks, accounts at sellers, their bills and
 * places.
 */
import type { Kysely } from 'kysely'
import type { Need } from '#staff-alerts'
import type { DB } from '#db'
import { lowStockDays, stocksLeft } from '#margin'
import { differingBills, listSellerAccounts, type SellerAccount, sellerStocks } from '#sellers'

const hourMs = 3_600_000
/** Staff are not notified of a seller that has been silent for less than this time. */
const quietMs = 2 * hourMs

/**
 * Whether an account cannot be read: its credentials are refused, nothing was read for two hours, or a part
 * has been due for that long.
 */
const isFaulty = ({ readings }: SellerAccount, now: Date): boolean =>
  readings.some(
    ({ part, fault, readAt, dueAt }) =>
      dueAt === null ||
      now.getTime() - dueAt.getTime() > quietMs ||
      fault?.kind === 'refused' ||
      (fault !== null && part === 'balance' && now.getTime() - (readAt ?? fault.at).getTime() > quietMs) ||
      (fault !== null && part !== 'balance' && fault.kind === 'malformed'),
  )

/**
 * Accounts (by label) and exits (by name) whose stock is low. An exit counts by the stock that staff entered,
 * unless it belongs to an account that reports its stock. `short`: accounts with less than customers hold.
 */
export async function lowStocks(
  db: Kysely<DB>,
  exits: readonly { id: bigint; name: string }[],
  now: Date,
  known?: readonly SellerAccount[],
): Promise<{ low: string[]; short: string[] }> {
  const accounts = known ?? (await listSellerAccounts(db))
  const stocks = await sellerStocks(db, accounts, now)
  const told = new Set(stocks.flatMap(({ account }) => account.exits.map(({ id }) => id)))
  const byHand = (await stocksLeft(db, now)).filter(
    ({ exitId, daysLeft }) => !told.has(exitId) && daysLeft !== null && daysLeft < lowStockDays,
  )
  return {
    low: [
      ...stocks.filter(({ isLow }) => isLow).map(({ account }) => account.label),
      ...exits.filter(({ id }) => byHand.some(({ exitId }) => exitId === id)).map(({ name }) => name),
    ],
    short: stocks.filter(({ short }) => short.length > 0).map(({ account }) => account.label),
  }
}

/** The needs of enabled exits and of all accounts at sellers. */
export async function sellerNeeds(
  db: Kysely<DB>,
  exits: readonly { id: bigint; name: string }[],
  now: Date,
): Promise<Need[]> {
  const accounts = await listSellerAccounts(db)
  const [{ low, short }, bills] = await Promise.all([
    lowStocks(db, exits, now, accounts),
    differingBills(db, accounts, now),
  ])
  const labels = (some: readonly SellerAccount[]) => some.map(({ label }) => label)
  const page = accounts.length === 0 ? '/exits' : '/exits?tab=accounts'
  const one = (kind: Need['kind'], names: readonly string[]): Need[] =>
    names.length === 0
      ? []
      : [{ kind, count: names.length, page, subjects: names.map((name) => ({ key: name, label: name })) }]
  return [
    ...one('stock_low', low),
    ...one('stock_short', short),
    ...one('seller_fault', labels(accounts.filter((account) => isFaulty(account, now)))),
    ...one('seller_places', labels(accounts.filter(({ asked }) => asked !== null))),
    ...one('seller_bill', labels(bills.map(({ account }) => account))),
  ]
}
