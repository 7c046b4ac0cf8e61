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
  /** The maximum number of uses per customer. */
  usesPerPerson: number
  /** Discounts only: limited to a customer's first paid purchase. */
  firstPurchase: boolean
  /** Discounts only: limited to orders in these pools; null: any pool. */
  pools: readonly Pool[] | null
}

/** Whether the code has neither been disabled nor expired. */
export function isCurrent(
  { expiresAt, disabledAt }: Pick<Limits, 'expiresAt'> & { disabledAt: Date | null },
  now: Date,
): boolean {
  return disabledAt === null && (expiresAt === null || expiresAt > now)
}

/** Whether the code may be used once more now, in addition to its counted and held uses. */
export function isOpen(
  limits: Pick<Limits, 'expiresAt' | 'maxUses'> & { disabledAt: Date | null },
  taken: bigint,
  now: Date,
): boolean {
  return isCurrent(limits, now) && (limits.maxUses === null || taken < limits.maxUses)
}
