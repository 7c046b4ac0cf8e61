/**
 * Promo codes: a discount on a purchase, or bonus traffic. README.md describes when a use is held, counted
 * and lost.
 */
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '#db'
import { codeKey, type Limits } from './code.ts'
import {
  allCodes,
  type CodeFilter,
  codesLike,
  findCode,
  type Grant,
  heldUses,
  type Promocode,
} from './store.ts'

export {
  countUse,
  type Discount,
  discountFor,
  type HasPurchased,
  holdUse,
  releaseUse,
  restoreUse,
} from './discount.ts'
export type { Limits } from './code.ts'
export { activateTrafficCode } from './traffic.code.ts'
export { promoParts } from './export.ts'
export { slowGuesses } from './guess.ts'
export {
  type CodeState,
  codeState,
  type Grant,
  offeredDiscounts,
  type Promocode,
  usersOf,
  usesBetween,
  usesOf,
} from './store.ts'

/**
 * The limits that are left out are the defaults of the table: once for each customer, any purchase, any pool.
 */
export interface NewCode
  extends Pick<Limits, 'maxUses' | 'expiresAt'>, Partial<Omit<Limits, 'maxUses' | 'expiresAt'>> {
  /** 2 to 64 letters, digits, dashes and underscores of any script. */
  code: string
  grant: Grant
  /** Of codes that are made together. */
  batch?: string | null
}

const defaults = { usesPerPerson: 1, firstPurchase: false, pools: null }

const columnsOf = ({ expiresAt, maxUses, usesPerPerson, firstPurchase, pools }: Limits) => ({
  expires_at: expiresAt,
  max_uses: maxUses,
  uses_per_person: usesPerPerson,
  first_purchase: firstPurchase,
  pools: pools === null ? null : [...pools],
})

/** Creates a code. 'malformed': not a valid code; 'taken': an existing one has the same key. */
export async function createCode(db: Kysely<DB>, given: NewCode): Promise<'created' | 'malformed' | 'taken'> {
  const { code, grant, batch = null, ...limits } = given
  const key = codeKey(code)
  if (key === null) return 'malformed'
  const values =
    grant.kind === 'discount'
      ? { discount_ppm: grant.discountPpm, min_gb: grant.minGb }
      : { pool: grant.pool, bytes: grant.bytes }
  const result = await db
    .insertInto('promocode')
    .values({
      code: code.trim(),
      code_key: key,
      kind: grant.kind,
      batch,
      ...columnsOf({ ...defaults, ...limits }),
      ...values,
    })
    .onConflict((conflict) => conflict.column('code_key').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n ? 'created' : 'taken'
}

/** All codes, the newest first. */
export function listCodes(db: Kysely<DB>): Promise<Promocode[]> {
  return allCodes(db)
}

/** Codes, the newest first, before the code with the id `before`. */
export function searchCodes(db: Kysely<DB>, filter: CodeFilter, now: Date): Promise<Promocode[]> {
  return codesLike(db, filter, now)
}

/**
 * Changes the limits of a code. 'unknown': there is no such code; 'not_a_discount': a traffic code has no
 * limits of purchases and pools; `taken`: it has been used, or is held by open invoices, more often than
 * `maxUses`. In these cases nothing was changed. Else the code as it was before.
 */
export async function limitCode(
  tx: Transaction<DB>,
  { code, limits }: { code: string; limits: Limits },
  now: Date,
): Promise<'unknown' | 'not_a_discount' | { taken: bigint } | { before: Promocode }> {
  const before = await findCode(tx, code, 'lock')
  if (before === null) return 'unknown'
  if (before.grant.kind !== 'discount' && (limits.firstPurchase || limits.pools !== null)) {
    return 'not_a_discount'
  }
  const taken = before.uses + (await heldUses(tx, before.id, now))
  if (limits.maxUses !== null && limits.maxUses < taken) return { taken }
  await tx.updateTable('promocode').set(columnsOf(limits)).where('id', '=', before.id).execute()
  return { before }
}

/** Disables a code: uses held by open invoices remain valid. False: there is no such code. */
export async function disableCode(db: Kysely<DB>, code: string, now: Date): Promise<boolean> {
  const found = await findCode(db, code)
  if (found === null) return false
  await db
    .updateTable('promocode')
    .set({ disabled_at: now })
    .where('id', '=', found.id)
    .where('disabled_at', 'is', null)
    .execute()
  return true
}

/** Disables the codes of a batch that are not disabled yet, and returns them in their order. */
export async function disableBatch(db: Kysely<DB>, batch: string, now: Date): Promise<string[]> {
  const rows = await db
    .updateTable('promocode')
    .set({ disabled_at: now })
    .where('batch', '=', batch)
    .where('disabled_at', 'is', null)
    .returning(['id', 'code'])
    .execute()
  return rows.toSorted((a, b) => Number(a.id - b.id)).map(({ code }) => code)
}
