/** Promo codes and their uses, as rows. */
import { likePart } from '#lib/like'
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { codeKey, type Limits } from './code.ts'
import type { UseRow } from './slot.ts'

export interface Promocode extends Limits {
  id: bigint
  /** As the operator wrote it. */
  code: string
  grant: Grant
  uses: bigint
  disabledAt: Date | null
  createdAt: Date
  /** The name of the codes that were made together with it; null: it was made alone. */
  batch: string | null
}

/**
 * The benefit of a code: a discount in parts per million from a number of GB on, or bonus bytes in a pool.
 */
export type Grant =
  | { kind: 'discount'; discountPpm: number; minGb: bigint }
  | { kind: 'traffic'; pool: Pool; bytes: bigint }

const rows = (db: Kysely<DB>) => db.selectFrom('promocode').selectAll()

function read(row: Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>): Promocode {
  return {
    id: row.id,
    code: row.code,
    // A constraint of the table determines which columns are filled.
    grant:
      row.kind === 'discount'
        ? { kind: 'discount', discountPpm: row.discount_ppm ?? 0, minGb: row.min_gb ?? 1n }
        : { kind: 'traffic', pool: row.pool as Pool, bytes: row.bytes ?? 0n },
    maxUses: row.max_uses,
    usesPerPerson: row.uses_per_person,
    firstPurchase: row.first_purchase,
    pools: row.pools as Pool[] | null,
    uses: row.uses,
    expiresAt: row.expires_at,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
    batch: row.batch,
  }
}

/**
 * A code as a customer typed it, locked until the transaction ends when `lock` is set; null when there is
 * none.
 */
export async function findCode(
  db: Kysely<DB>,
  typed: string,
  lock: 'lock' | 'read' = 'read',
): Promise<Promocode | null> {
  const key = codeKey(typed)
  if (key === null) return null
  const query = rows(db).where('code_key', '=', key)
  const row = await (lock === 'lock' ? query.forNoKeyUpdate() : query).executeTakeFirst()
  return row === undefined ? null : read(row)
}

/** Locks a code that is known to exist. */
export async function lockCode(tx: Kysely<DB>, id: bigint): Promise<Promocode> {
  return read(await rows(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow())
}

/** All codes, the newest first. */
export async function allCodes(db: Kysely<DB>): Promise<Promocode[]> {
  return (await rows(db).orderBy('id', 'desc').execute()).map(read)
}

export type CodeState = 'good' | 'disabled' | 'expired' | 'used_up'

/** Whether a code can still be used. */
export function codeState(code: Promocode, now: Date): CodeState {
  if (code.disabledAt !== null) return 'disabled'
  if (code.expiresAt !== null && code.expiresAt <= now) return 'expired'
  return code.maxUses !== null && code.uses >= code.maxUses ? 'used_up' : 'good'
}

export interface CodeFilter {
  /** Part of the code, or of the name of its batch. */
  text?: string | undefined
  state?: CodeState | undefined
  batch?: string | undefined
  before: bigint | null
  limit: number
}

/** Codes that match, the newest first. */
export async function codesLike(db: Kysely<DB>, filter: CodeFilter, now: Date): Promise<Promocode[]> {
  const { text = '', state, batch, before, limit } = filter
  let query = rows(db).orderBy('id', 'desc').limit(limit)
  if (before !== null) query = query.where('id', '<', before)
  if (text !== '')
    query = query.where(({ eb, or }) =>
      or([eb('code', 'ilike', likePart(text)), eb('batch', 'ilike', likePart(text))]),
    )
  if (batch !== undefined) query = query.where('batch', '=', batch)
  if (state !== undefined)
    query = query.where(
      sql<boolean>`case when disabled_at is not null then 'disabled' when expires_at <= ${now} then 'expired'
        when uses >= max_uses then 'used_up' else 'good' end = ${state}`,
    )
  return (await query.execute()).map(read)
}

/** Terms of discounts on offer, with the names of their codes. */
interface OfferedDiscount {
  discountPpm: number
  minGb: bigint
  /** Null: every pool. */
  pools: Pool[] | null
  /** The newest codes of these terms; a batch is named once, in place of its codes. */
  names: string[]
}

/** The most names of codes with the same terms. */
const mostNames = 20

/** The terms of all discounts that can be used now: codes of the same terms are one row. */
export async function offeredDiscounts(db: Kysely<DB>, now: Date): Promise<OfferedDiscount[]> {
  const { rows: offered } = await sql<OfferedDiscount>`
    select discount_ppm as "discountPpm", min_gb as "minGb", pools,
      (array_agg(name order by newest desc))[1:${sql.lit(mostNames)}] as names
    from (
      select discount_ppm, min_gb, pools, coalesce(batch, code) as name, max(id) as newest from promocode
      where kind = 'discount' and disabled_at is null and (expires_at is null or expires_at > ${now})
        and (max_uses is null or uses < max_uses)
      group by discount_ppm, min_gb, pools, coalesce(batch, code)
    ) named
    group by discount_ppm, min_gb, pools
    order by max(newest) desc`.execute(db)
  return offered
}

/** A use of a code, for the operator. */
interface UseLine {
  promocodeId: bigint
  nth: number
  code: string
  kind: 'discount' | 'traffic'
  isUsed: boolean
  /** When it was used; for a held use, when the hold expires. */
  at: Date
  invoice: string | null
}

/**
 * The codes that a customer has used or holds, the newest code first, after the use with the cursor `after`.
 */
export async function usesOf(
  db: Kysely<DB>,
  accountId: bigint,
  { after, limit }: { after: { promocodeId: bigint; nth: number } | null; limit: number },
): Promise<UseLine[]> {
  const { rows } = await sql<UseLine>`
    select p.id as "promocodeId", u.nth, p.code, p.kind, u.used_at is not null as "isUsed",
      coalesce(u.used_at, u.held_until) as at, u.invoice
    from promo_use u join promocode p on p.id = u.promocode_id
    where u.account_id = ${accountId} and ${after === null ? sql`true` : sql`(p.id, u.nth) < (${after.promocodeId}, ${after.nth})`}
    order by p.id desc, u.nth desc limit ${limit}`.execute(db)
  return rows
}

/** The uses of a code, by the id of the account, the highest first, after the use with the cursor `after`. */
export async function usersOf(
  db: Kysely<DB>,
  promocodeId: bigint,
  { after, limit }: { after: { accountId: bigint; nth: number } | null; limit: number },
): Promise<{ accountId: bigint; nth: number; isUsed: boolean; at: Date; invoice: string | null }[]> {
  const { rows } = await sql<{
    accountId: bigint
    nth: number
    isUsed: boolean
    at: Date
    invoice: string | null
  }>`
    select account_id as "accountId", nth, used_at is not null as "isUsed", coalesce(used_at, held_until) as at, invoice
    from promo_use
    where promocode_id = ${promocodeId} and ${after === null ? sql`true` : sql`(account_id, nth) < (${after.accountId}, ${after.nth})`}
    order by account_id desc, nth desc limit ${limit}`.execute(db)
  return rows
}

/** How often a code was used between each of these times and the next. */
export async function usesBetween(
  db: Kysely<DB>,
  promocodeId: bigint,
  times: readonly Date[],
): Promise<bigint[]> {
  const { rows } = await sql<{ step: number; uses: bigint }>`
    select width_bucket(used_at, ${times}::timestamptz[]) as step, count(*) as uses from promo_use
    where promocode_id = ${promocodeId} and used_at >= ${times[0]} and used_at < ${times.at(-1)}
    group by 1`.execute(db)
  const counted = new Map(rows.map(({ step, uses }) => [step, uses]))
  return times.slice(1).map((_, index) => counted.get(index + 1) ?? 0n)
}

/** All uses of a code by one customer, held and counted. */
export async function usesBy(db: Kysely<DB>, promocodeId: bigint, accountId: bigint): Promise<UseRow[]> {
  const rows = await db
    .selectFrom('promo_use')
    .select(['nth', 'invoice', 'held_until', 'used_at', 'operation'])
    .where('promocode_id', '=', promocodeId)
    .where('account_id', '=', accountId)
    .orderBy('nth')
    .execute()
  return rows.map(({ held_until: heldUntil, used_at: usedAt, ...rest }) => ({ ...rest, heldUntil, usedAt }))
}

/** The number of uses held by open invoices, optionally without one of them. */
export async function heldUses(
  db: Kysely<DB>,
  promocodeId: bigint,
  now: Date,
  { except }: { except?: { accountId: bigint; nth: number } } = {},
): Promise<bigint> {
  let query = db
    .selectFrom('promo_use')
    .select((all) => all.fn.countAll<bigint>().as('count'))
    .where('promocode_id', '=', promocodeId)
    .where('used_at', 'is', null)
    .where('held_until', '>', now)
  if (except !== undefined)
    query = query.where(({ eb, or }) =>
      or([eb('account_id', '<>', except.accountId), eb('nth', '<>', except.nth)]),
    )
  return (await query.executeTakeFirstOrThrow()).count
}

/** Stores a customer's use of a code, replacing the one with the same number. The code must be locked. */
export async function writeUse(
  tx: Kysely<DB>,
  { promocodeId, accountId, nth }: { promocodeId: bigint; accountId: bigint; nth: number },
  use: Omit<UseRow, 'nth' | 'operation'> & { operation?: string | null },
): Promise<void> {
  const { invoice, heldUntil, usedAt, operation = null } = use
  const values = { invoice, held_until: heldUntil, used_at: usedAt, operation }
  await tx
    .insertInto('promo_use')
    .values({ promocode_id: promocodeId, account_id: accountId, nth, ...values })
    .onConflict((conflict) => conflict.columns(['promocode_id', 'account_id', 'nth']).doUpdateSet(values))
    .execute()
  if (use.usedAt === null) return
  await tx
    .updateTable('promocode')
    .set((row) => ({ uses: row('uses', '+', 1n) }))
    .where('id', '=', promocodeId)
    .execute()
}
