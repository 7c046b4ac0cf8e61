/** Customer search: filters, orders, and keyset pagination. */
import { likePart } from '#lib/like'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { allowLongStatements, type DB, transaction } from '#db'
import { heldBytes } from '#ledger'
import { nameKey } from './names.ts'

export type CustomerState = 'active' | 'unconfirmed' | 'blocked' | 'erasure_asked' | 'erased'
export type CustomerSort =
  | 'newest'
  | 'oldest'
  | 'spent'
  | 'last_seen'
  | 'balance'
  | 'state'
  | 'margin'
  | 'least_margin'

export interface CustomerFilter {
  /** Part of a name or e-mail address, or one of these accounts. */
  text?: string | undefined
  /** Matches only a complete e-mail address: for members who may not see addresses. */
  wholeEmail?: boolean
  ids?: readonly bigint[] | undefined
  state?: CustomerState | undefined
  tag?: string | undefined
  spentFrom?: bigint | undefined
  spentTo?: bigint | undefined
  seenFrom?: Date | undefined
  seenTo?: Date | undefined
  joinedFrom?: Date | undefined
  joinedTo?: Date | undefined
  balanceFrom?: bigint | undefined
  balanceTo?: bigint | undefined
  marginFrom?: bigint | undefined
  marginTo?: bigint | undefined
  campaign?: string | undefined
  inviter?: bigint | undefined
  /** The country of the sign-up, an ISO 3166-1 code. */
  country?: string | undefined
  /** Only customers with this price list. */
  priceList?: bigint | undefined
}

/** The position of the previous page's last row in the order. */
export interface Place {
  key: bigint
  id: bigint
}

export interface CustomerRow {
  id: bigint
  username: string | null
  email: string | null
  telegramUserId: bigint | null
  state: CustomerState
  tags: string[]
  spentMicros: bigint
  balanceBytes: bigint
  marginMicros: bigint
  seenAt: Date | null
  country: string | null
  createdAt: Date
  /** The sort key of the row, for `Place`. */
  key: bigint
}

/** The state of an account `a`. */
export const stateOf = sql<CustomerState>`case when a.erased_at is not null then 'erased'
  when a.erasure_asked_at is not null then 'erasure_asked' when a.blocked_at is not null then 'blocked'
  when a.email is not null and a.email_confirmed_at is null then 'unconfirmed' else 'active' end`

/** The place of a state in the order of states; the index account_state has the same expression. */
const stateRank = sql`case when a.erasure_asked_at is not null and a.erased_at is null then 0
  when a.erased_at is not null then 4 when a.blocked_at is not null then 1
  when a.email is not null and a.email_confirmed_at is null then 2 else 3 end`

interface Order {
  key: RawBuilder<unknown>
  /** The key is a time; in a `Place` it is microseconds since 1970. */
  isTime?: true
  /** The account's number in the table of the key, so that one index has both. */
  id?: RawBuilder<unknown>
  isUp?: true
}

const orders: Record<CustomerSort, Order> = {
  newest: { key: sql`a.id` },
  oldest: { key: sql`a.id`, isUp: true },
  spent: { key: sql`s.micros`, id: sql`s.account_id` },
  last_seen: { key: sql`coalesce(a.seen_at, '-infinity'::timestamptz)`, isTime: true },
  balance: { key: sql`w.bytes`, id: sql`w.account_id` },
  state: { key: sql`(${stateRank})`, isUp: true },
  margin: { key: sql`m.micros`, id: sql`m.account_id` },
  least_margin: { key: sql`m.micros`, id: sql`m.account_id`, isUp: true },
}

/** Stands for '-infinity' in a `Place`. */
const never = -1n
const timeOf = (micros: bigint) =>
  micros === never
    ? sql`'-infinity'::timestamptz`
    : sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`
const microsOf = (time: RawBuilder<unknown>) =>
  sql`case when isfinite(${time}) then (extract(epoch from ${time}) * 1000000)::bigint else ${never}::bigint end`

function conditions(filter: CustomerFilter): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = []
  const { text = '', ids = [] } = filter
  if (text.trim() !== '') {
    const key = nameKey(text)
    const part = likePart(key)
    const byEmail = filter.wholeEmail === true ? sql`a.email_key = ${key}` : sql`a.email_key like ${part}`
    where.push(sql`(a.username_key like ${part} or ${byEmail} or a.id = any(${ids.map(String)}::bigint[]))`)
  }
  if (filter.state !== undefined) where.push(sql`${stateOf} = ${filter.state}`)
  if (filter.tag !== undefined)
    where.push(sql`exists (select from account_tag t where t.account_id = a.id and t.tag = ${filter.tag})`)
  if (filter.spentFrom !== undefined) where.push(sql`s.micros >= ${filter.spentFrom}`)
  if (filter.spentTo !== undefined) where.push(sql`s.micros <= ${filter.spentTo}`)
  if (filter.seenFrom !== undefined) where.push(sql`${orders.last_seen.key} >= ${filter.seenFrom}`)
  // Leaves out customers who have never been seen.
  if (filter.seenTo !== undefined)
    where.push(sql`a.seen_at is not null and ${orders.last_seen.key} < ${filter.seenTo}`)
  if (filter.joinedFrom !== undefined) where.push(sql`a.created_at >= ${filter.joinedFrom}`)
  if (filter.joinedTo !== undefined) where.push(sql`a.created_at < ${filter.joinedTo}`)
  if (filter.balanceFrom !== undefined) where.push(sql`w.bytes >= ${filter.balanceFrom}`)
  if (filter.balanceTo !== undefined) where.push(sql`w.bytes <= ${filter.balanceTo}`)
  if (filter.marginFrom !== undefined) where.push(sql`m.micros >= ${filter.marginFrom}`)
  if (filter.marginTo !== undefined) where.push(sql`m.micros <= ${filter.marginTo}`)
  if (filter.campaign !== undefined) where.push(sql`a.admin_referral_code = ${filter.campaign}`)
  if (filter.country !== undefined) where.push(sql`a.sign_up_country = ${filter.country}`)
  if (filter.inviter !== undefined) where.push(sql`a.invited_by = ${filter.inviter}`)
  if (filter.priceList !== undefined)
    where.push(sql`exists (
      select from account_price_list l where l.account_id = a.id and l.list_id = ${filter.priceList})`)
  return where
}

/** Whether customers are filtered or ordered by balance; the balances are then as of `heldAt`. */
export const isByBalance = ({ sort, filter }: { sort: CustomerSort; filter: CustomerFilter }): boolean =>
  sort === 'balance' || filter.balanceFrom !== undefined || filter.balanceTo !== undefined

/** Whether customers are filtered or ordered by margin; the margins are then as of `marginsAt`. */
export const isByMargin = ({ sort, filter }: { sort: CustomerSort; filter: CustomerFilter }): boolean =>
  sort === 'margin' ||
  sort === 'least_margin' ||
  filter.marginFrom !== undefined ||
  filter.marginTo !== undefined

/**
 * At most `limit` matching customers after the position `after`, in the order. Each has its current balance;
 * filters and orders by balance use the balances as of `heldAt`.
 */
export async function searchCustomers(
  db: Kysely<DB>,
  filter: CustomerFilter,
  { sort, after, limit }: { sort: CustomerSort; after: Place | null; limit: number },
): Promise<CustomerRow[]> {
  const { key, isTime, isUp, id = sql`a.id` } = orders[sort]
  const where = conditions(filter)
  if (after !== null) {
    const place = sql`(${isTime === true ? timeOf(after.key) : sql`${after.key}::bigint`}, ${after.id}::bigint)`
    where.push(isUp === true ? sql`(${key}, ${id}) > ${place}` : sql`(${key}, ${id}) < ${place}`)
  }
  const direction = sql.raw(isUp === true ? 'asc' : 'desc')
  const { rows } = await sql<CustomerRow>`
    with page as materialized (
      select a.id, ${key} as key
      from account a
      join account_spending s on s.account_id = a.id
      ${isByBalance({ sort, filter }) ? sql`join account_held w on w.account_id = a.id` : sql``}
      ${isByMargin({ sort, filter }) ? sql`join account_margin m on m.account_id = a.id` : sql``}
      where ${where.length === 0 ? sql`true` : sql.join(where, sql` and `)}
      order by ${key} ${direction}, ${id} ${direction} limit ${limit}
    )
    select a.id, a.username, a.email, i.telegram_user_id as "telegramUserId", ${stateOf} as state,
      array(select tag from account_tag t where t.account_id = a.id order by tag) as tags,
      s.micros as "spentMicros", coalesce(h.bytes, 0)::bigint as "balanceBytes", m.micros as "marginMicros",
      a.seen_at as "seenAt", a.sign_up_country as country, a.created_at as "createdAt", ${isTime === true ? microsOf(sql`page.key`) : sql`page.key`} as key
    from page
    join account a on a.id = page.id
    join account_spending s on s.account_id = a.id
    join account_margin m on m.account_id = a.id
    left join telegram_identity i on i.account_id = a.id
    left join lateral (${heldBytes(sql`a.id`)}) h on true
    order by page.key ${direction}, a.id ${direction}`.execute(db)
  return rows
}

/** When the balances used for ordering customers were read. */
export async function heldAt(db: Kysely<DB>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select at from account_held_at`.execute(db)
  if (rows[0] === undefined) throw new Error('account_held_at has no row')
  return rows[0].at
}

/** When the margins of customers were counted. */
export async function marginsAt(db: Kysely<DB>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select at from account_margin_at`.execute(db)
  if (rows[0] === undefined) throw new Error('account_margin_at has no row')
  return rows[0].at
}

/** Copies the balances of all customers, for ordering the list; a job calls it every few minutes. */
export function noteHeld(db: Kysely<DB>): Promise<void> {
  return transaction(db, async (tx) => {
    await allowLongStatements(tx)
    await sql`update account_held_at set at = now()`.execute(tx)
    await sql`
      update account_held w set bytes = h.bytes from (${heldBytes()}) h
      where h.customer_id = w.account_id and w.bytes <> h.bytes`.execute(tx)
  })
}

/** Tags in use, the most used first. */
export async function listTags(db: Kysely<DB>): Promise<{ tag: string; customers: bigint }[]> {
  const { rows } = await sql<{ tag: string; customers: bigint }>`
    select tag, count(*) as customers from account_tag group by tag order by customers desc, tag limit 500`.execute(
    db,
  )
  return rows
}

/** New accounts in each hour from `from` to `until`. */
export async function countNew(db: Kysely<DB>, { from, until }: { from: Date; until: Date }) {
  const { rows } = await sql<{ hour: Date; value: bigint }>`
    select date_trunc('hour', created_at, 'UTC') as hour, count(*) as value from account
    where created_at >= ${from} and created_at < ${until} and not is_test group by 1 order by 1`.execute(db)
  return rows
}

/** The countries in which customers signed up, the most frequent first. */
export async function listCountries(db: Kysely<DB>): Promise<{ country: string; customers: bigint }[]> {
  const { rows } = await sql<{ country: string; customers: bigint }>`
    select sign_up_country as country, count(*) as customers from account
    where sign_up_country is not null group by 1 order by customers desc, country`.execute(db)
  return rows
}
