/** The form and the validity of promo codes: pure. */
import type { Pool } from '#contract/wire'

/**
 * The lookup key of a code: letter case and Unicode compatibility forms make no difference. Null: not the
 * form of a code, so no lookup is needed.
 */
export function codeKey(text: string): string | null {
  const key = text.trim().normalize('NFKC').toLowerCase()
  return /^[\p{L}\p{M}\p{N}_-]{2,64}$/u.test(key) ? key : null
}

/** The limits of a code. */
export interface Limits {
  expiresAt: Date | null
  /** Null: no limit. */
  maxUses: bigint | null
  /** How often one customer may use it. */
  usesPerPerson: number
  /** Of a discount: only for the first purchase that a customer pays. */
  firstPurchase: boolean
  /** Of a discount: only for orders in these pools; null: in any. */
  pools: readonly Pool[] | null
}

/** Whether the code has neither been disabled nor expired. */
export function isCurrent(
  { expiresAt, disabledAt }: Pick<Limits, 'expiresAt'> & { disabledAt: Date | null },
  now: Date,
): boolean {
  return disabledAt === null && (expiresAt === null || expiresAt > now)
}

/** Whether the code may be used once more now, in addition to the uses that are taken. */
export function isOpen(
  limits: Pick<Limits, 'expiresAt' | 'maxUses'> & { disabledAt: Date | null },
  taken: bigint,
  now: Date,
): boolean {
  return isCurrent(limits, now) && (limits.maxUses === null || taken < limits.maxUses)
}
