/** What of the operator's purchases needs attention: stocks, accounts at sellers, their bills and places, sales below cost. */
import type { Kysely } from 'kysely'
import type { DeskOutput } from '#contract/desk/contract'
import type { DB } from '#db'
import { lowStockDays, stocksLeft } from '#margin'
import { differingBills, listSellerAccounts, type SellerAccount, sellerStocks } from '#sellers'
import { belowCostNow } from '../shop/below.cost.ts'

type Need = DeskOutput<'today'>['needs_you'][number]

const mostExamples = 5
const hourMs = 3_600_000
/** A seller that does not answer for a shorter time needs nobody. */
const quietMs = 2 * hourMs

/** An account that is not read: its credentials are refused, or nothing was read for two hours. */
const isFaulty = ({ readings }: SellerAccount, now: Date): boolean =>
  readings.some(
    ({ part, fault, readAt, dueAt }) =>
      dueAt === null ||
      fault?.kind === 'refused' ||
      (fault !== null && part === 'balance' && now.getTime() - (readAt ?? fault.at).getTime() > quietMs) ||
      (fault !== null && part !== 'balance' && fault.kind === 'malformed'),
  )

/** Exits by their names whose stock is low: by what staff have entered, where the exit belongs to no account that tells it. */
export async function lowStocks(
  db: Kysely<DB>,
  exits: readonly { id: bigint; name: string }[],
  now: Date,
): Promise<{ low: string[]; short: string[] }> {
  const accounts = await listSellerAccounts(db)
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

/** Of the enabled exits, and of all accounts. */
export async function sellerNeeds(
  db: Kysely<DB>,
  exits: readonly { id: bigint; name: string }[],
  now: Date,
): Promise<Need[]> {
  const accounts = await listSellerAccounts(db)
  const [{ low, short }, bills, below] = await Promise.all([
    lowStocks(db, exits, now),
    differingBills(db, accounts, now),
    belowCostNow(db, now),
  ])
  const labels = (some: readonly SellerAccount[]) => some.map(({ label }) => label)
  const one = (kind: Need['kind'], href: string, examples: readonly string[]): Need[] =>
    examples.length === 0
      ? []
      : [{ kind, count: examples.length, href, examples: examples.slice(0, mostExamples) }]
  const page = '/exits?tab=accounts'
  return [
    ...one('stock_low', accounts.length === 0 ? '/exits' : page, low),
    ...one('stock_short', page, short),
    ...one('seller_fault', page, labels(accounts.filter((account) => isFaulty(account, now)))),
    ...one('seller_places', page, labels(accounts.filter(({ asked }) => asked !== null))),
    ...one('seller_bill', page, labels(bills.map(({ account }) => account))),
    ...one('below_cost', below.sales.length > 0 ? '/prices' : '/promo-codes', [
      ...below.sales.map(({ pool, gb }) => `${pool} ${gb} GB`),
      ...below.codes,
    ]),
  ]
}
