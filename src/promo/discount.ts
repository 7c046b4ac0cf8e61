/** Discount codes: offered, held by an open invoice, counted when money arrives. */
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { isOpen } from './code.ts'
import { findCode, heldByOthers, lockCode, type Promocode, findUse, writeUse } from './store.ts'

export interface Discount {
  promocodeId: bigint
  /** As the operator wrote it. */
  code: string
  discountPpm: number
  expiresAt: Date | null
  maxUses: bigint | null
  uses: bigint
}

interface Wish {
  /** As the customer typed it. */
  code: string
  accountId: bigint
  gb: bigint
}

/**
 * The discount that a code currently gives this customer on this number of GB. Refuses with `promocode_invalid`:
 * unknown, disabled, expired, used up or held by other customers, an amount too small, or used by this customer before.
 */
export async function discountFor(db: Kysely<DB>, wish: Wish, now: Date): Promise<Discount> {
  return judge(db, await findCode(db, wish.code), wish, now)
}

/**
 * Holds a use of the code for an invoice until the given time, and returns the discount. A customer holds one use at a
 * time: their newest invoice gets it. Refuses as `discountFor` does.
 */
export async function holdUse(
  tx: Transaction<DB>,
  wish: Wish & { invoice: string; until: Date },
  now: Date,
): Promise<Discount> {
  const discount = await judge(tx, await findCode(tx, wish.code, 'lock'), wish, now)
  const key = { promocodeId: discount.promocodeId, accountId: wish.accountId }
  await writeUse(tx, key, { invoice: wish.invoice, heldUntil: wish.until, usedAt: null })
  return discount
}

async function judge(db: Kysely<DB>, code: Promocode | null, wish: Wish, now: Date): Promise<Discount> {
  if (code === null || code.grant.kind !== 'discount' || wish.gb < code.grant.minGb) {
    throw new Refusal('promocode_invalid')
  }
  const use = await findUse(db, code.id, wish.accountId)
  if (use?.usedAt != null || !(await isFree(db, code, wish.accountId, now))) {
    throw new Refusal('promocode_invalid')
  }
  const { id: promocodeId, expiresAt, maxUses, uses } = code
  return { promocodeId, code: code.code, discountPpm: code.grant.discountPpm, expiresAt, maxUses, uses }
}

async function isFree(db: Kysely<DB>, code: Promocode, accountId: bigint, now: Date): Promise<boolean> {
  const held = code.maxUses === null ? 0n : await heldByOthers(db, code.id, { accountId, now })
  return isOpen(code, code.uses + held, now)
}

const isLeft = ({ maxUses, uses }: Promocode) => maxUses === null || uses < maxUses

/**
 * Counts the use of a code for an invoice that is being paid; true when the discount applies. A held use applies. An
 * expired hold competes again as a new request would, and may fail. A repetition changes nothing.
 */
export async function countUse(
  tx: Transaction<DB>,
  { promocodeId, accountId, invoice }: { promocodeId: bigint; accountId: bigint; invoice: string },
  now: Date,
): Promise<boolean> {
  const code = await lockCode(tx, promocodeId)
  const use = await findUse(tx, promocodeId, accountId)
  if (use?.usedAt != null) return use.invoice === invoice
  const isHeld = use?.heldUntil != null && use.heldUntil > now
  // When the clock is set back, an expired hold is valid again, although its use may have been taken.
  const stands = isHeld ? isLeft(code) : await isFree(tx, code, accountId, now)
  if (!stands) return false
  await writeUse(tx, { promocodeId, accountId }, { invoice, heldUntil: null, usedAt: now })
  return true
}

/**
 * Counts the use of a code for an invoice that was paid at its discount before the database lost both, and returns the
 * code's id. Null: the code is lost too, has no use left, or was used by this customer again. A repetition changes
 * nothing.
 */
export async function restoreUse(
  tx: Transaction<DB>,
  { code, accountId, invoice }: { code: string; accountId: bigint; invoice: string },
  now: Date,
): Promise<bigint | null> {
  const found = await findCode(tx, code, 'lock')
  if (found === null || found.grant.kind !== 'discount') return null
  const use = await findUse(tx, found.id, accountId)
  if (use?.usedAt != null) return use.invoice === invoice ? found.id : null
  if (!isLeft(found)) return null
  await writeUse(tx, { promocodeId: found.id, accountId }, { invoice, heldUntil: null, usedAt: now })
  return found.id
}

/** Releases the use that an invoice holds; a counted use remains. */
export async function releaseUse(tx: Transaction<DB>, invoice: string): Promise<void> {
  await tx.deleteFrom('promo_use').where('invoice', '=', invoice).where('used_at', 'is', null).execute()
}
