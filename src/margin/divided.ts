/** The margin by customer, volume discount or promo code, from the usage of each purchase. */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { allowLongStatements, type DB, inSnapshot, transaction } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { partsTable } from './store.priced.ts'
import { type HourPart, hoursIn, pricedNow } from './by.exit.ts'
import { addMargin, type MarginSum, noMargin, sumMargin } from './sums.ts'

/** The dimensions by which the margin can be divided. */
export type PurchaseDivision = 'customer' | 'tier' | 'promo'

/** The key of the row that sums everything not shown separately. */
export const restKey = '(rest)'
/** The key of purchases without a promo code. */
export const withoutCodeKey = '(none)'

const summedBy = (key: RawBuilder<unknown>) => (rows: RawBuilder<unknown>) =>
  sql`
  select p.hour, p.exit_id, p.pool, ${key} as key, sum(p.charged_bytes) as charged, sum(p.bonus_bytes) as bonus,
    sum(p.relayed_bytes) as relayed, sum(p.free_bytes) as free, sum(p.revenue_micros) as revenue,
    sum(p.fee_micros) as fee, sum(p.share_micros) as share
  from (${rows}) p group by 1, 2, 3, 4`

/**
 * The parts with their keys. Parts are summed by key where an hour has few keys, because the cost is divided
 * for each row.
 */
const partsBy: Record<PurchaseDivision, (rows: RawBuilder<unknown>) => RawBuilder<unknown>> = {
  customer: (rows) => sql`
    select hour, exit_id, pool, account_id as key, charged_bytes as charged, bonus_bytes as bonus, relayed_bytes as relayed,
      free_bytes as free, revenue_micros as revenue, fee_micros as fee, share_micros as share
    from (${rows}) p`,
  // Bonus traffic, forgiven traffic and traffic received from others belong to no purchase.
  tier: summedBy(sql`coalesce(p.tier_ppm::text, '')`),
  promo: summedBy(
    sql`case when p.invoice_id = 0 then '' else coalesce(p.promocode, ${withoutCodeKey}::text) end`,
  ),
}

export interface DividedSum extends MarginSum {
  /**
   * The id of a customer, the discount in parts per million, a code; '': unassigned, `restKey`: all others.
   */
  key: string
  /** The number of keys summed. */
  count: bigint
}

/** The number of rows shown from each end: the highest and the lowest margins. */
const shownOfEach = 100

/**
 * The margin of hours by one dimension, largest revenue first. The last row is the unassigned remainder:
 * costs of hours in which nobody used an exit, and hours whose parts are no longer stored. The sums equal
 * those of the hours exactly. Of more than 200 rows, those with the largest revenue and those with the lowest
 * margin are shown, and the others as one row.
 */
export function marginBy(
  db: Kysely<DB>,
  by: PurchaseDivision,
  { from, to }: { from: Date; to: Date },
  now: Date,
): Promise<DividedSum[]> {
  return inSnapshot(db, async (tx) => {
    const { tables, whole } = await summedParts(tx, by, { from, to }, now)
    const { rows } = await sql<Summed>`
      with ${tables},
      ranked as (
        select *, row_number() over (order by revenue desc, key) <= ${shownOfEach}
            or row_number() over (order by costed * ${finest}::numeric - cost, key) <= ${shownOfEach} or key = '' as is_shown
        from summed
      )
      select case when is_shown then key else ${restKey}::text end as key, count(*) as count,
        sum(charged)::bigint as "chargedBytes", sum(bonus)::bigint as "bonusBytes", bounded(sum(relayed)) as "relayedBytes",
        sum(revenue)::bigint as "revenueMicros", sum(fee)::bigint as "feeMicros", sum(share)::bigint as "shareMicros",
        sum(costed)::bigint as "costedMicros", sum(uncosted)::bigint as "uncostedBytes",
        div(sum(cost), ${finest / fine}::numeric)::text as "fineCost",
        div(sum(free_cost), ${finest / fine}::numeric)::text as "fineFreeCost"
      from ranked group by 1, is_shown order by is_shown desc, sum(revenue) desc, key`.execute(tx)
    return withRest(rows, whole)
  })
}

/** The parts of hours summed by one dimension, as the body of a `with` whose last table is `summed`. */
async function summedParts(
  tx: Transaction<DB>,
  by: PurchaseDivision,
  { from, to }: { from: Date; to: Date },
  now: Date,
): Promise<{ tables: RawBuilder<unknown>; whole: MarginSum }> {
  const parts = await hoursIn(tx, { from, to }, now)
  const whole = sumMargin(parts, () => '').get('') ?? noMargin
  const { earned } = await pricedNow(tx, to, now)
  // The planner has no statistics on the table of costs, and would sort all parts to join them.
  await sql`set local enable_mergejoin = off`.execute(tx)
  const live = earned.filter(({ hour }) => hour >= from && hour < to)
  const tables = sql`
    cost as (${costTable(parts)}),
    part as (${partsBy[by](sql`
      select * from margin_part where hour >= ${from} and hour < ${to} union all ${partsTable(live)}`)}),
    summed as (
      select key::text as key, sum(charged) as charged, sum(bonus) as bonus, sum(part.relayed) as relayed, sum(revenue) as revenue,
        sum(fee) as fee, sum(share) as share,
        sum(case when cost.micros is null then 0 else revenue - fee - share end) as costed,
        sum(case when cost.micros is null then charged else 0 end) as uncosted,
        coalesce(sum(cost.per_byte * part.relayed), 0) as cost, coalesce(sum(cost.per_free_byte * part.free), 0) as free_cost
      from part left join cost using (hour, exit_id, pool) group by part.key
    )`
  return { tables, whole }
}

const marginDays = 30
const dayMs = 86_400_000

/**
 * Computes and stores each customer's margin of the last 30 days, by which the list of customers is ordered;
 * a job calls it every hour. Costs of hours without use belong to no customer.
 */
export async function noteCustomerMargins(db: Kysely<DB>, now: Date): Promise<void> {
  const period = { from: new Date(now.getTime() - marginDays * dayMs), to: now }
  const margins = await inSnapshot(db, async (tx) => {
    const { tables } = await summedParts(tx, 'customer', period, now)
    const { rows } = await sql<{ id: bigint; micros: bigint }>`
      with ${tables}
      select key::bigint as id, (costed - div(cost, ${finest}::numeric))::bigint as micros from summed where key <> ''`.execute(
      tx,
    )
    return rows
  })
  await transaction(db, async (tx) => {
    await allowLongStatements(tx)
    await sql`update account_margin_at set at = ${now}`.execute(tx)
    await sql`
      update account_margin w set micros = coalesce(m.micros, 0)
      from account_margin old left join unnest(
        ${bigintArray(margins.map(({ id }) => id))}::bigint[], ${bigintArray(margins.map(({ micros }) => micros))}::bigint[]
      ) m(account_id, micros) on m.account_id = old.account_id
      where w.account_id = old.account_id and w.micros <> coalesce(m.micros, 0)`.execute(tx)
  })
}

interface Summed extends Omit<DividedSum, 'earnedMicros' | 'costMicros' | 'freeCostMicros' | 'marginMicros'> {
  /** Revenue through exits with a known cost. */
  costedMicros: bigint
  /** In parts of a micro-USD. */
  fineCost: string
  fineFreeCost: string
}

/** The number of parts per micro-USD: the rounding error of a cost division is less than one part. */
const fine = 1_000_000n
/** The scale of the cost per byte: even over years of traffic, the rounding error stays below one part. */
const finest = 10n ** 30n

/** The costs of exits by hour and per byte: divided here, since there are far more parts than hours. */
function costTable(parts: readonly HourPart[]): RawBuilder<unknown> {
  const array = (of: (part: HourPart) => bigint | number | null) =>
    sql`${bigintArray(parts.map(of))}::bigint[]`
  return sql`
    select to_timestamp(hour_ms / 1000) as hour, exit_id, pool, micros,
      case when relayed > 0 then div(coalesce(micros, 0) * ${finest}::numeric, relayed) end as per_byte,
      case when free > 0 then div(coalesce(free_micros, 0) * ${finest}::numeric, free) end as per_free_byte
    from unnest(${array(({ at }) => at.getTime())}, ${array(({ exitId }) => exitId)},
      ${textArray(parts.map(({ pool }) => pool))}::text[],
      ${array(({ relayedBytes }) => relayedBytes)}, ${array(({ freeBytes }) => freeBytes)},
      ${array(({ costMicros }) => costMicros)}, ${array(({ freeCostMicros }) => freeCostMicros)}
    ) told(hour_ms, exit_id, pool, relayed, free, micros, free_micros)`
}

/**
 * Rounds the costs so that the sum of any rows is off by less than a micro-USD, and adds the unassigned
 * remainder.
 */
function withRest(rows: readonly Summed[], whole: MarginSum): DividedSum[] {
  const cost = rounding()
  const freeCost = rounding()
  const named = rows
    .filter(({ key }) => key !== '')
    .map(({ fineCost, fineFreeCost, costedMicros, ...row }): DividedSum => {
      const costMicros = cost(BigInt(fineCost))
      const earnedMicros = row.revenueMicros - row.feeMicros - row.shareMicros
      const marginMicros = costedMicros - costMicros
      return {
        ...row,
        earnedMicros,
        costMicros,
        freeCostMicros: freeCost(BigInt(fineFreeCost)),
        marginMicros,
      }
    })
  const rest = named.reduce<MarginSum>((left, row) => addMargin(left, row, -1n), whole)
  const isNothing = Object.values(rest).every((figure) => figure === 0n)
  return isNothing ? named : [...named, { key: '', count: 1n, ...rest }]
}

/** Rounds numbers in order, carrying the remainder of each to the next. */
function rounding(): (fineMicros: bigint) => bigint {
  let [sum, given] = [0n, 0n]
  return (fineMicros) => {
    sum += fineMicros
    const until = (sum + fine / 2n) / fine
    const part = until - given
    given = until
    return part
  }
}
