/** What a promo code is, and when it is good: pure. */

/**
 * What a code is found by: capitals and the ways of writing one letter make no difference. Null: no code looks like
 * this, so none need be looked up.
 */
export function codeKey(text: string): string | null {
  const key = text.trim().normalize('NFKC').toLowerCase()
  return /^[\p{L}\p{M}\p{N}_-]{2,64}$/u.test(key) ? key : null
}

/** What limits a code. */
export interface Limits {
  expiresAt: Date | null
  disabledAt: Date | null
  /** Null: no limit. */
  maxUses: bigint | null
}

/** Whether a code may be taken now by one more customer, beside those who have taken it. */
export function isOpen(limits: Limits, taken: bigint, now: Date): boolean {
  if (limits.disabledAt !== null) return false
  if (limits.expiresAt !== null && limits.expiresAt <= now) return false
  return limits.maxUses === null || taken < limits.maxUses
}
