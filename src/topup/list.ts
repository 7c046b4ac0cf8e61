/** Settings and charges for display. */
import { type Kysely, sql } from 'kysely'
import type { ChargeState, OffReason } from '#contract/topup/rules'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import type { DeclineReason, Price } from '#payments'
import { monthOf } from './rules.ts'

export interface TopUp {
  accountId: bigint
  pool: Pool
  isOn: boolean
  offReason: OffReason | null
  savedMethodId: bigint | null
  belowBytes: bigint
  gb: bigint
  monthMicros: bigint
  /** The most that one charge may take. */
  most: Price
  isArmed: boolean
  crossing: bigint
  seenCredits: bigint
  failures: number
  retryAt: Date | null
  boundTold: string | null
  changedAt: Date
}

export const topUpRows = (db: Kysely<DB>) => db.selectFrom('top_up').selectAll()

export const readTopUp = (
  row: Awaited<ReturnType<ReturnType<typeof topUpRows>['executeTakeFirstOrThrow']>>,
): TopUp => ({
  accountId: row.account_id,
  pool: row.pool as Pool,
  isOn: row.is_on,
  offReason: row.off_reason as OffReason | null,
  savedMethodId: row.saved_method_id,
  belowBytes: row.below_bytes,
  gb: row.gb,
  monthMicros: row.month_micros,
  most: { currency: row.most_currency, micros: row.most_micros },
  isArmed: row.is_armed,
  crossing: row.crossing,
  seenCredits: row.seen_credits,
  failures: row.failures,
  retryAt: row.retry_at,
  boundTold: row.bound_told,
  changedAt: row.changed_at,
})

/** A customer's settings, by pool. */
export async function listTopUps(db: Kysely<DB>, accountId: bigint): Promise<TopUp[]> {
  return (await topUpRows(db).where('account_id', '=', accountId).orderBy('pool').execute()).map(readTopUp)
}

/**
 * What the charges of a month cost, in micro-USD: those that brought money, and those that still may. A
 * charge that failed counts when money has come for its invoice all the same.
 */
export async function chargedIn(
  db: Kysely<DB>,
  { accountId, pool, month }: { accountId: bigint; pool: string; month: string },
): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(c.cost_micros), 0)::bigint as micros
    from top_up_charge c join invoice i on i.id = c.invoice_id
    where c.account_id = ${accountId} and c.pool = ${pool} and c.month = ${month}
      and (c.state <> 'failed' or i.received_micros > 0)`.execute(db)
  return rows[0]?.micros ?? 0n
}

/** The same for the current month. */
export const chargedNow = (db: Kysely<DB>, of: { accountId: bigint; pool: string }, now: Date) =>
  chargedIn(db, { ...of, month: monthOf(now) })

/**
 * The methods whose processor rejected the shop's key at the last charge within a day.
 */
export async function deniedMethods(db: Kysely<DB>, now: Date): Promise<string[]> {
  const { rows } = await sql<{ method: string }>`
    select method from (
      select method, max(ended_at) as at from top_up_charge
      where reason = 'shop_denied' and ended_at > ${new Date(now.getTime() - 24 * 60 * 60_000)} group by method
    ) denied
    where not exists (
      select from top_up_charge c where c.method = denied.method and c.ended_at > denied.at
        and (c.reason is null or c.reason not in ('no_answer', 'method_removed', 'switched_off'))
    )
    order by method`.execute(db)
  return rows.map(({ method }) => method)
}

/** An open charge. */
export interface OpenCharge {
  id: bigint
  accountId: bigint
  pool: Pool
  savedMethodId: bigint
  method: string
  card: string
  orderText: string
  state: ChargeState
  externalId: string | null
  madeAt: Date
  askedAt: Date | null
  /** The number of its invoice. */
  number: string
}

/** A charge with its invoice. */
export interface ListedCharge {
  pool: Pool
  state: ChargeState
  reason: DeclineReason | null
  card: string
  invoice: string
  price: Price
  madeAt: Date
  /** The page on which the customer pays it; null: there is none, or it cannot be used. */
  paymentUrl: string | null
}

/** The last charges of a customer, newest first; with `perPool` that many of each pool. */
export async function lastCharges(
  db: Kysely<DB>,
  accountId: bigint,
  { perPool }: { perPool: number },
): Promise<ListedCharge[]> {
  const { rows } = await sql<Omit<ListedCharge, 'price'> & { currency: string; micros: bigint }>`
    select pool, state, reason, card, invoice, currency, micros, made_at as "madeAt", url as "paymentUrl" from (
      select c.*, i.number as invoice, coalesce(i.price_currency, 'USD') as currency,
        coalesce(i.price_micros, i.cost_micros) as micros,
        case when c.state = 'awaiting_customer' and i.state = 'pending' then i.payment_url end as url,
        row_number() over (partition by c.pool order by c.id desc) as turn
      from top_up_charge c join invoice i on i.id = c.invoice_id where c.account_id = ${accountId}
    ) charge where turn <= ${perPool} order by id desc`.execute(db)
  return rows.map(({ currency, micros, ...rest }) => ({ ...rest, price: { currency, micros } }))
}

/** A consent of a customer. */
export interface Consent {
  kind: 'save' | 'top_up'
  pool: Pool | null
  version: number
  givenAt: Date
  ip: string | null
  endedAt: Date | null
}

/** The consents of a customer, oldest first. */
export async function consentsOf(db: Kysely<DB>, accountId: bigint): Promise<Consent[]> {
  const { rows } = await sql<Consent>`
    select kind, pool, version, given_at as "givenAt", ip, ended_at as "endedAt"
    from top_up_consent where account_id = ${accountId} order by id`.execute(db)
  return rows
}
