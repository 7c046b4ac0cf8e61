/** What a referral balance buys. */
import { priceOf } from '#contract/price'

/** Whole GB that the balance pays for at this volume discount. */
export function coveredGb(balanceUsd: number, baseUsd: number, volumeDiscount: number): number {
  if (baseUsd <= 0) return 0
  const tiny = 1e-9
  let gb = Math.floor(balanceUsd / (baseUsd * (1 - volumeDiscount)) + tiny)
  // A price is rounded to cents, so the last GB may not be covered.
  while (gb > 0 && priceOf({ gb, baseUsd, volumeDiscount }).finalUsd > balanceUsd + tiny) gb -= 1
  return gb
}
