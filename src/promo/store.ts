/** Promo codes and their uses, as rows. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { codeKey, type Limits } from './code.ts'

export interface Promocode extends Limits {
  id: bigint
  /** As the operator wrote it. */
  code: string
  grant: Grant
  uses: bigint
  createdAt: Date
}

/** The benefit of a code: a discount in parts per million from a number of GB on, or bonus bytes in a pool. */
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
    uses: row.uses,
    expiresAt: row.expires_at,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
  }
}

/** A code as a customer typed it, locked until the transaction ends when `lock` is set; null when there is none. */
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
  /** Part of the code. */
  text?: string | undefined
  state?: CodeState | undefined
  before: bigint | null
  limit: number
}

/** Codes that match, the newest first. */
export async function codesLike(db: Kysely<DB>, filter: CodeFilter, now: Date): Promise<Promocode[]> {
  const { text = '', state, before, limit } = filter
  let query = rows(db).orderBy('id', 'desc').limit(limit)
  if (before !== null) query = query.where('id', '<', before)
  if (text !== '') query = query.where('code', 'ilike', `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`)
  if (state !== undefined)
    query = query.where(
      sql<boolean>`case when disabled_at is not null then 'disabled' when expires_at <= ${now} then 'expired'
        when uses >= max_uses then 'used_up' else 'good' end = ${state}`,
    )
  return (await query.execute()).map(read)
}

export interface Use {
  invoice: string | null
  heldUntil: Date | null
  usedAt: Date | null
  /** The operation that used a traffic code, when it came under a key. */
  operation?: string | null
}

/** A customer's use of a code. */
export async function findUse(
  db: Kysely<DB>,
  promocodeId: bigint,
  accountId: bigint,
): Promise<Required<Use> | null> {
  const row = await db
    .selectFrom('promo_use')
    .select(['invoice', 'held_until', 'used_at', 'operation'])
    .where('promocode_id', '=', promocodeId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { invoice: row.invoice, heldUntil: row.held_until, usedAt: row.used_at, operation: row.operation }
}

/** Uses that open invoices of other customers hold. */
export async function heldByOthers(
  db: Kysely<DB>,
  promocodeId: bigint,
  { accountId, now }: { accountId: bigint; now: Date },
): Promise<bigint> {
  const { count } = await db
    .selectFrom('promo_use')
    .select((all) => all.fn.countAll<bigint>().as('count'))
    .where('promocode_id', '=', promocodeId)
    .where('account_id', '<>', accountId)
    .where('used_at', 'is', null)
    .where('held_until', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

/** Stores a customer's use of a code, replacing the earlier one. The code must be locked. */
export async function writeUse(
  tx: Kysely<DB>,
  key: { promocodeId: bigint; accountId: bigint },
  use: Use,
): Promise<void> {
  const { invoice, heldUntil, usedAt, operation = null } = use
  const values = { invoice, held_until: heldUntil, used_at: usedAt, operation }
  await tx
    .insertInto('promo_use')
    .values({ promocode_id: key.promocodeId, account_id: key.accountId, ...values })
    .onConflict((conflict) => conflict.columns(['promocode_id', 'account_id']).doUpdateSet(values))
    .execute()
  if (use.usedAt === null) return
  await tx
    .updateTable('promocode')
    .set((row) => ({ uses: row('uses', '+', 1n) }))
    .where('id', '=', key.promocodeId)
    .execute()
}
