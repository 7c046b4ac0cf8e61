/** Discount codes: offered, held by an open invoice, counted when money arrives. */
import type { Kysely, Transaction } from 'kysely'
import type { Pool } from '#contract/wire'
import { type DB, lockName } from '#db'
import { Refusal } from '#lib/refusal'
import { isCurrent, isOpen } from './code.ts'
import { type Slot, slotFor } from './slot.ts'
import { findCode, heldUses, lockCode, type Promocode, usesBy, writeUse } from './store.ts'

export interface Discount {
  promocodeId: bigint
  /** As the operator wrote it. */
  code: string
  discountPpm: number
  expiresAt: Date | null
  maxUses: bigint | null
  uses: bigint
  /** The customer's open invoice that holds this use: whichever of both is paid first gets the discount. */
  openInvoice: string | null
}

/** Whether a customer has paid before. Passed in, since purchases belong to another slice. */
export type HasPurchased = (db: Kysely<DB>, accountId: bigint) => Promise<boolean>

interface Wish {
  /** As the customer typed it. */
  code: string
  accountId: bigint
  gb: bigint
  /** Null: not chosen yet, so the code's pools are not checked. */
  pool: Pool | null
}

/**
 * The discount that a code currently gives this customer on this number of GB. Refuses with
 * `promocode_invalid` (unknown, disabled, expired, used up or held by other customers, an amount too small),
 * `promocode_pool`, `promocode_first_purchase` and `promocode_person_limit` (used by this customer as often
 * as allowed).
 */
export async function discountFor(
  db: Kysely<DB>,
  wish: Wish,
  hasPurchased: HasPurchased,
  now: Date,
): Promise<Discount> {
  return (await judge(db, await findCode(db, wish.code), { ...wish, invoice: null, hasPurchased }, now))
    .discount
}

/**
 * Holds a use of the code for an invoice until the given time, and returns the discount. A customer holds at
 * most their remaining uses, which go to their newest invoices. Refuses as `discountFor` does.
 */
export async function holdUse(
  tx: Transaction<DB>,
  wish: Wish & { invoice: string; until: Date; hasPurchased: HasPurchased },
  now: Date,
): Promise<Discount> {
  const { discount, slot } = await judge(tx, await findCode(tx, wish.code, 'lock'), wish, now)
  const key = { promocodeId: discount.promocodeId, accountId: wish.accountId, nth: slot.nth }
  await writeUse(tx, key, { invoice: wish.invoice, heldUntil: wish.until, usedAt: null })
  return discount
}

async function judge(
  db: Kysely<DB>,
  code: Promocode | null,
  {
    accountId,
    gb,
    pool,
    invoice,
    hasPurchased,
  }: Wish & { invoice: string | null; hasPurchased: HasPurchased },
  now: Date,
): Promise<{ discount: Discount; slot: Slot }> {
  if (code === null || code.grant.kind !== 'discount' || !isCurrent(code, now)) {
    throw new Refusal('promocode_invalid')
  }
  const { id: promocodeId, expiresAt, maxUses, uses, pools, usesPerPerson } = code
  if (pool !== null && pools !== null && !pools.includes(pool)) {
    throw new Refusal('promocode_pool', { pools: [...pools] })
  }
  if (code.firstPurchase && (await hasPurchased(db, accountId))) throw new Refusal('promocode_first_purchase')
  const slot = slotFor(await usesBy(db, code.id, accountId), usesPerPerson, invoice)
  if (slot === null) throw new Refusal('promocode_person_limit', { limit: usesPerPerson })
  if (gb < code.grant.minGb || !(await isFree(db, code, { accountId, slot }, now))) {
    throw new Refusal('promocode_invalid')
  }
  const { discountPpm } = code.grant
  const { held } = slot
  const isHeld = held !== null && held.invoice !== invoice && held.heldUntil !== null && held.heldUntil > now
  const openInvoice = isHeld ? held.invoice : null
  return {
    discount: { promocodeId, code: code.code, discountPpm, expiresAt, maxUses, uses, openInvoice },
    slot,
  }
}

/** Whether a use is left besides the counted and held ones, not counting the one in the slot. */
async function isFree(
  db: Kysely<DB>,
  code: Promocode,
  { accountId, slot }: { accountId: bigint; slot: Slot },
  now: Date,
): Promise<boolean> {
  const except = { accountId, nth: slot.nth }
  const held = code.maxUses === null ? 0n : await heldUses(db, code.id, now, { except })
  return isOpen(code, code.uses + held, now)
}

const isLeft = ({ maxUses, uses }: Promocode) => maxUses === null || uses < maxUses

/**
 * Counts the use of a code for an invoice that is being paid; true when the discount applies. A held use
 * applies, unless the code is for a first purchase and the customer has paid another one meanwhile. An
 * expired hold competes again as a new request would, and may fail. A repetition changes nothing.
 */
export async function countUse(
  tx: Transaction<DB>,
  {
    promocodeId,
    accountId,
    invoice,
    hasPurchased,
  }: { promocodeId: bigint; accountId: bigint; invoice: string; hasPurchased: HasPurchased },
  now: Date,
): Promise<boolean> {
  const code = await lockCode(tx, promocodeId)
  const uses = await usesBy(tx, promocodeId, accountId)
  if (uses.some((use) => use.usedAt !== null && use.invoice === invoice)) return true
  const slot = slotFor(uses, code.usesPerPerson, invoice)
  if (slot === null) return false
  if (code.firstPurchase) {
    // Two invoices with different first-purchase codes may be paid concurrently.
    await lockName(tx, `first purchase of ${accountId}`)
    if (await hasPurchased(tx, accountId)) return false
  }
  const isHeld = slot.held?.heldUntil != null && slot.held.heldUntil > now
  // When the clock is set back, an expired hold is valid again, although its use may have been taken.
  const stands = isHeld ? isLeft(code) : await isFree(tx, code, { accountId, slot }, now)
  if (!stands) return false
  const key = { promocodeId, accountId, nth: slot.nth }
  await writeUse(tx, key, { invoice, heldUntil: null, usedAt: now })
  return true
}

/**
 * Counts the use of a code for an invoice that was paid at its discount before the database lost both, and
 * returns the code's id. Null: the code is lost too, has no use left, or was used by this customer again. A
 * repetition changes nothing.
 */
export async function restoreUse(
  tx: Transaction<DB>,
  { code, accountId, invoice }: { code: string; accountId: bigint; invoice: string },
  now: Date,
): Promise<bigint | null> {
  const found = await findCode(tx, code, 'lock')
  if (found === null || found.grant.kind !== 'discount') return null
  const uses = await usesBy(tx, found.id, accountId)
  if (uses.some((use) => use.usedAt !== null && use.invoice === invoice)) return found.id
  const slot = slotFor(uses, found.usesPerPerson, invoice)
  if (slot === null || !isLeft(found)) return null
  const key = { promocodeId: found.id, accountId, nth: slot.nth }
  await writeUse(tx, key, { invoice, heldUntil: null, usedAt: now })
  return found.id
}

/** Releases the use that an invoice holds; a counted use remains. */
export async function releaseUse(tx: Transaction<DB>, invoice: string): Promise<void> {
  await tx.deleteFrom('promo_use').where('invoice', '=', invoice).where('used_at', 'is', null).execute()
}
