/** Finding customers among many: filters, orders, and pages that continue behind a row. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import { heldBytes } from '#ledger'
import { nameKey } from './names.ts'

export type CustomerState = 'active' | 'unconfirmed' | 'blocked'
export type CustomerSort = 'newest' | 'oldest' | 'spent' | 'last_seen' | 'balance'

export interface CustomerFilter {
  /** Part of a name or e-mail address, or one of these accounts. */
  text?: string | undefined
  /** The whole e-mail address only: for those who may not see addresses. */
  wholeEmail?: boolean
  ids?: readonly bigint[] | undefined
  state?: CustomerState | undefined
  tag?: string | undefined
  spentFrom?: bigint | undefined
  spentTo?: bigint | undefined
  seenFrom?: Date | undefined
  seenTo?: Date | undefined
  balanceFrom?: bigint | undefined
  balanceTo?: bigint | undefined
  campaign?: string | undefined
  inviter?: bigint | undefined
}

/** The last row of the page before: its place in the order. */
export interface Place {
  key: string
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
  seenAt: Date | null
  createdAt: Date
  /** For `Place`. */
  key: string
}

const escaped = (text: string) => text.replace(/[\\%_]/g, String.raw`\$&`)

const stateOf = sql<CustomerState>`case when a.blocked_at is not null then 'blocked'
  when a.email is not null and a.email_confirmed_at is null then 'unconfirmed' else 'active' end`

/** What a list is ordered by, and the type of the key in a `Place`. */
const orders: Record<CustomerSort, { key: RawBuilder<unknown>; type: string; isUp?: true }> = {
  newest: { key: sql`a.id`, type: 'bigint' },
  oldest: { key: sql`a.id`, type: 'bigint', isUp: true },
  spent: { key: sql`coalesce(s.micros, 0)`, type: 'bigint' },
  last_seen: { key: sql`coalesce(a.seen_at, '-infinity')`, type: 'timestamptz' },
  balance: { key: sql`coalesce(h.bytes, 0)`, type: 'bigint' },
}

function conditions(filter: CustomerFilter): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = []
  const { text = '', ids = [] } = filter
  if (text.trim() !== '') {
    const key = nameKey(text)
    const part = `%${escaped(key)}%`
    const byEmail = filter.wholeEmail === true ? sql`a.email_key = ${key}` : sql`a.email_key like ${part}`
    where.push(sql`(a.username_key like ${part} or ${byEmail} or a.id = any(${ids.map(String)}::bigint[]))`)
  }
  if (filter.state !== undefined) where.push(sql`${stateOf} = ${filter.state}`)
  if (filter.tag !== undefined)
    where.push(sql`exists (select from account_tag t where t.account_id = a.id and t.tag = ${filter.tag})`)
  if (filter.spentFrom !== undefined) where.push(sql`coalesce(s.micros, 0) >= ${filter.spentFrom}`)
  if (filter.spentTo !== undefined) where.push(sql`coalesce(s.micros, 0) <= ${filter.spentTo}`)
  if (filter.seenFrom !== undefined) where.push(sql`a.seen_at >= ${filter.seenFrom}`)
  if (filter.seenTo !== undefined) where.push(sql`a.seen_at < ${filter.seenTo}`)
  if (filter.balanceFrom !== undefined) where.push(sql`coalesce(h.bytes, 0) >= ${filter.balanceFrom}`)
  if (filter.balanceTo !== undefined) where.push(sql`coalesce(h.bytes, 0) <= ${filter.balanceTo}`)
  if (filter.campaign !== undefined) where.push(sql`a.admin_referral_code = ${filter.campaign}`)
  if (filter.inviter !== undefined) where.push(sql`a.invited_by = ${filter.inviter}`)
  return where
}

/** Customers that match, in the order, at most `limit`, behind the place `after`. */
export async function searchCustomers(
  db: Kysely<DB>,
  filter: CustomerFilter,
  { sort, after, limit }: { sort: CustomerSort; after: Place | null; limit: number },
): Promise<CustomerRow[]> {
  const { key, type, isUp } = orders[sort]
  const where = conditions(filter)
  if (after !== null) {
    const place = sql`(${after.key}::${sql.raw(type)}, ${after.id}::bigint)`
    where.push(isUp === true ? sql`(${key}, a.id) > ${place}` : sql`(${key}, a.id) < ${place}`)
  }
  const direction = sql.raw(isUp === true ? 'asc' : 'desc')
  const needsAllBalances =
    sort === 'balance' || filter.balanceFrom !== undefined || filter.balanceTo !== undefined
  // One sum for all accounts where rows are chosen by it; else a look-up for each row of the page.
  const held = needsAllBalances
    ? sql`left join (${heldBytes()}) h on h.user_id = a.id`
    : sql`left join lateral (${heldBytes(sql`a.id`)}) h on true`
  const { rows } = await sql<CustomerRow>`
    select a.id, a.username, a.email, i.telegram_user_id as "telegramUserId", ${stateOf} as state,
      array(select tag from account_tag t where t.account_id = a.id order by tag) as tags,
      coalesce(s.micros, 0)::bigint as "spentMicros", coalesce(h.bytes, 0)::bigint as "balanceBytes",
      a.seen_at as "seenAt", a.created_at as "createdAt", (${key})::text as key
    from account a
    left join account_spending s on s.account_id = a.id
    left join telegram_identity i on i.account_id = a.id
    ${held}
    where ${where.length === 0 ? sql`true` : sql.join(where, sql` and `)}
    order by ${key} ${direction}, a.id ${direction} limit ${limit}`.execute(db)
  return rows
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
    where created_at >= ${from} and created_at < ${until} group by 1 order by 1`.execute(db)
  return rows
}
