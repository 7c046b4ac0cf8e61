/** The form and the validity of promo codes: pure. */

/**
 * The lookup key of a code: letter case and Unicode compatibility forms make no difference. Null: not the form of a
 * code, so no lookup is needed.
 */
export function codeKey(text: string): string | null {
  const key = text.trim().normalize('NFKC').toLowerCase()
  return /^[\p{L}\p{M}\p{N}_-]{2,64}$/u.test(key) ? key : null
}

/** The limits of a code. */
export interface Limits {
  expiresAt: Date | null
  disabledAt: Date | null
  /** Null: no limit. */
  maxUses: bigint | null
}

/** Whether one more customer may take the code now, in addition to those who have taken it. */
export function isOpen(limits: Limits, taken: bigint, now: Date): boolean {
  if (limits.disabledAt !== null) return false
  if (limits.expiresAt !== null && limits.expiresAt <= now) return false
  return limits.maxUses === null || taken < limits.maxUses
}
