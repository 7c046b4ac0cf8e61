/**
 * Promo codes: a discount on a purchase, or traffic as a gift. README.md describes when a use is held, counted and
 * lost.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { codeKey } from './code.ts'
import { allCodes, type CodeFilter, codesLike, findCode, type Grant, type Promocode } from './store.ts'

export { countUse, type Discount, discountFor, holdUse, releaseUse } from './discount.ts'
export { activateTrafficCode } from './gift.ts'
export { slowGuesses } from './guess.ts'
export { type CodeState, codeState, type Grant, type Promocode } from './store.ts'

export interface NewCode {
  /** 2 to 64 letters, digits, dashes and underscores of any script. */
  code: string
  grant: Grant
  maxUses: bigint | null
  expiresAt: Date | null
}

/** Creates a code. 'malformed': not a valid code; 'taken': an existing one has the same key. */
export async function createCode(db: Kysely<DB>, given: NewCode): Promise<'created' | 'malformed' | 'taken'> {
  const { grant } = given
  const key = codeKey(given.code)
  if (key === null) return 'malformed'
  const values =
    grant.kind === 'discount'
      ? { discount_ppm: grant.discountPpm, min_gb: grant.minGb }
      : { pool: grant.pool, bytes: grant.bytes }
  const result = await db
    .insertInto('promocode')
    .values({
      code: given.code.trim(),
      code_key: key,
      kind: grant.kind,
      max_uses: given.maxUses,
      expires_at: given.expiresAt,
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
