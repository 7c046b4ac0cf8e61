/**
 * Verification of the sums that reports read: they must equal what was posted, except what is not added up
 * yet. Anti-joins of whole tables leave out what is pending, so that the work is linear in the entries,
 * however many are pending.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import type { Finding } from './finding.ts'
import { bookedKinds, bookedSumsOf, divided, figuresOf, houseSumsOf, timeOf, usageSumsOf } from './sums.ts'

/** The maximum number of differences that are reported. */
const most = 100

/**
 * Compares the sums of the months after `lastVerified`, or with `full` of all months whose entries are here,
 * with the entries; those of verified months with the sums by account that these were closed with; and both
 * kinds of sums with each other.
 */
export async function wrongSums(
  tx: Kysely<DB>,
  { lastVerified, full }: { lastVerified: string | null; full: boolean },
): Promise<Finding[]> {
  const months = full
    ? sql`t.month not in (select month from ledger_month_archive)`
    : sql`t.month > coalesce(${lastVerified}::date, '-infinity')`
  const hours = full
    ? sql`month_of(t.hour) not in (select month from ledger_month_archive)`
    : sql`t.hour >= coalesce((${lastVerified}::date + interval '1 month') at time zone 'UTC', '-infinity')`
  return [
    ...(await differing(tx, { kept: bookedKept, posted: bookedPosted(months), months, by: bookedKey })),
    ...(await differing(tx, { kept: houseKept, posted: housePosted(months), months, by: houseKey })),
    ...(await differing(tx, { kept: usageKept, posted: usagePosted, months: hours, by: usageKey })),
    ...(await differingMonths(tx)),
    ...(await differingKinds(tx)),
  ]
}

/** The columns that name a row of sums, and those that are compared. */
interface Key {
  named: readonly string[]
  compared: readonly string[]
}
const bookedKey: Key = {
  named: ['kind', 'quarter', 'month', 'pool', 'method'],
  compared: ['transactions', 'micros', 'spent_micros', 'bytes'],
}
const usageKey: Key = { named: ['hour', 'kind', 'pool'], compared: ['bytes'] }
const houseKey: Key = { named: ['kind', 'quarter', 'month', 'account_id'], compared: ['amount'] }

const columns = (names: readonly string[]) => sql.raw(names.join(', '))
const sumsOfColumns = (names: readonly string[]) =>
  sql.raw(names.map((name) => `sum(${name})::bigint as ${name}`).join(', '))
const anyKind = (of: (kind: (typeof bookedKinds)[number]) => RawBuilder<unknown>) =>
  sql.join(bookedKinds.map(of), sql` union all `)

const everything = sql`true`
const bookedKept = sql`select ${columns([...bookedKey.named, ...bookedKey.compared])} from ledger_booked_sum`
const houseKept = sql`select ${columns([...houseKey.named, ...houseKey.compared])} from ledger_house_sum`

/** Whether a transaction `t` is added up. */
const isSummed = sql`not exists (select from ledger_unsummed u where u.transaction_id = t.id)`

/**
 * The entries of all transactions in the sums, read together: looking them up one by one would take a minute
 * for a million sales.
 */
const ofHouse = (months: RawBuilder<unknown>) => sql`
  ledger_transaction t left join (ledger_entry e join ledger_account a on a.id = e.account_id and a.customer_id is null)
    on e.month = t.month and e.transaction_id = t.id where ${months} and ${isSummed}`
const bookedPosted = (months: RawBuilder<unknown>) =>
  anyKind((kind) => {
    const ofAll = sql`select t.month, ${timeOf} as at, ${divided(kind)} from ${ofHouse(months)}`
    const chosen =
      kind === 'shares'
        ? sql`group by t.id having bool_or(a.kind in ('referral_cost', 'referral_spent', 'referral_paid'))`
        : sql`and t.kind = ${kind} group by t.id`
    return bookedSumsOf(kind, sql`${ofAll} ${chosen}`)
  })
const housePosted = (months: RawBuilder<unknown>) =>
  houseSumsOf(sql`
    select ${timeOf} as at, t.kind, t.month, e.account_id, e.amount from ${ofHouse(months)} and e.amount is not null`)

const usageKept = sql`select hour, kind, pool, bytes from ledger_usage_sum`
const usagePosted = usageSumsOf(sql`
  select * from ledger_usage c
  where not exists (select from ledger_usage_unsummed u where u.hour = c.hour and u.account_id = c.account_id)`)

async function differing(
  tx: Kysely<DB>,
  {
    kept,
    posted,
    months,
    by: { named, compared },
  }: { kept: RawBuilder<unknown>; posted: RawBuilder<unknown>; months: RawBuilder<unknown>; by: Key },
): Promise<Finding[]> {
  const side = (rows: RawBuilder<unknown>, sign: string) => sql`
    select ${columns(named)}, ${sql.raw(compared.map((name) => `${sign}${name} as ${name}`).join(', '))}
    from (${rows}) t where ${months}`
  const { rows } = await sql<{ named: string; off: string }>`
    select concat_ws(' ', ${columns(named)}) as named, concat_ws(', ', ${columns(compared)}) as off from (
      select ${columns(named)}, ${sumsOfColumns(compared)}
      from (${side(kept, '')} union all ${side(posted, '-')}) both_sides group by ${columns(named)}
    ) difference where (${columns(compared)}) <> (${sql.raw(compared.map(() => '0').join(', '))})
    order by 1 limit ${most}`.execute(tx)
  return rows.map((row) => finding(row.named, `${compared.join(', ')} differ from the entries by ${row.off}`))
}

const finding = (subject: string, detail: string): Finding => ({
  check: 'sums_are_what_was_posted',
  subject: `sums of ${subject}`,
  detail,
})

/**
 * Compares the house's accounts in verified months with the sums stored for them. Used traffic has no
 * postings.
 */
async function differingMonths(tx: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ month: string; account_id: bigint; off: string }>`
    with closed as (select month from ledger_month_digest)
    select to_char(month, 'YYYY-MM') as month, account_id, sum(amount)::text as off from (
      select month, account_id, amount from ledger_house_sum
      union all select e.month, e.account_id, e.amount
        from ledger_unsummed u join ledger_transaction t on t.id = u.transaction_id
          join ledger_entry e on e.month = t.month and e.transaction_id = t.id
        where t.month in (select month from closed)
      union all select month, account_id, -amount from ledger_month_sum
    ) both_sides join ledger_account a on a.id = account_id
    where month in (select month from closed) and a.customer_id is null and a.kind <> 'traffic_used'
    group by 1, 2 having sum(amount) <> 0 order by 1, 2 limit ${most}`.execute(tx)
  return rows.map(({ month, account_id, off }) =>
    finding(`account ${account_id} in ${month}`, `they differ by ${off} from what the month was closed with`),
  )
}

/**
 * Compares the sums by pool and method with the sums of the house's accounts; both are of the same
 * transactions.
 */
async function differingKinds(tx: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ kind: string; month: string; micros: string; spent: string; bytes: string }>`
    select kind, to_char(month, 'YYYY-MM') as month, sum(micros)::text as micros, sum(spent)::text as spent, sum(bytes)::text as bytes
    from (
      select kind, month, micros, spent_micros as spent, bytes from (${bookedKept}) kept
      union all ${anyKind((kind) => {
        const { micros, spentMicros, bytes } = figuresOf(kind)
        return sql`
          select ${kind}, e.month, -${micros}, -${spentMicros}, -${bytes}
          from (${houseKept}) e join ledger_account a on a.id = e.account_id
          where ${kind === 'shares' ? everything : sql`e.kind = ${kind}`} group by e.month`
      })}
    ) both_sides group by 1, 2 having sum(micros) <> 0 or sum(spent) <> 0 or sum(bytes) <> 0 order by 1, 2`.execute(
    tx,
  )
  return rows.map(({ kind, month, micros, spent, bytes }) =>
    finding(
      `${kind} in ${month}`,
      `by pool and method they differ from the accounts of the house by ${micros}, ${spent} micro-USD and ${bytes} bytes`,
    ),
  )
}
