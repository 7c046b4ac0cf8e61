/** Rules: when a saved method is charged, and the effects of a failed charge. Pure. */
import { mostFailures, type OffReason, ratePercent } from '#contract/topup/rules'
import type { DeclineReason, Price } from '#payments'

/** A balance at the last check. */
export interface SeenBalance {
  isArmed: boolean
  credits: bigint
}

/** The current balance, and the balance right after its last credit. */
export interface HeldBalance {
  bytes: bigint
  creditedBytes: bigint
  credits: bigint
}

/** The balance of a pool without any credit. */
export const nothingHeld: HeldBalance = { bytes: 0n, creditedBytes: 0n, credits: 0n }

/**
 * Whether the balance has fallen through the threshold since the last charge. It is a crossing only after a
 * check has seen the balance above the threshold, or a credit has lifted it above between two checks, so that
 * a balance that stays low is charged once.
 */
export function crossed(
  seen: SeenBalance,
  held: HeldBalance,
  belowBytes: bigint,
): { isArmed: boolean; isDue: boolean } {
  const wasLifted = held.credits > seen.credits && held.creditedBytes >= belowBytes
  const isArmed = seen.isArmed || wasLifted || held.bytes >= belowBytes
  return { isArmed, isDue: isArmed && held.bytes < belowBytes }
}

const hourMs = 60 * 60_000

/** The delay before retrying a charge that failed by the shop's fault. */
const deniedMs = hourMs

/** How long after the first and the second failure the same crossing is charged again. */
const retryMs = [4 * hourMs, 24 * hourMs]

/** The effect of a failed charge on its top-up. */
export interface Consequence {
  failures: number
  /** Why it is switched off; null: it stays on. */
  off: OffReason | null
  /** The processor has said that the method may not be used: it is deleted. */
  removesMethod: boolean
  /** When the same crossing is charged again; null: not without another crossing. */
  retryAt: Date | null
}

/** Whether a failed charge may have taken money all the same: then the same crossing is not charged again. */
const isUncertain = (reason: DeclineReason) => reason === 'no_answer'
/**
 * The processor denied access because the shop's key is wrong. Only the operator is notified, and the charge
 * is retried.
 */
export const isFaultOfShop = (reason: DeclineReason) => reason === 'shop_denied'
/** Whether the charge was given up because the customer had withdrawn the consent. */
const isWithdrawn = (reason: DeclineReason) => reason === 'method_removed' || reason === 'switched_off'

export function afterFailure(failuresBefore: number, reason: DeclineReason, now: Date): Consequence {
  const stays = { off: null, removesMethod: false, retryAt: null }
  if (isWithdrawn(reason)) return { ...stays, failures: failuresBefore }
  if (isFaultOfShop(reason))
    return { ...stays, failures: failuresBefore, retryAt: new Date(now.getTime() + deniedMs) }
  const failures = failuresBefore + 1
  if (reason === 'permission_revoked') return { ...stays, failures, off: reason, removesMethod: true }
  if (reason === 'card_expired') return { ...stays, failures, off: reason }
  if (failures >= mostFailures) return { ...stays, failures, off: 'failures' }
  if (isUncertain(reason)) return { ...stays, failures }
  return { ...stays, failures, retryAt: new Date(now.getTime() + (retryMs[failures - 1] ?? 24 * hourMs)) }
}

/** The calendar month (UTC) of a time, YYYY-MM. */
export const monthOf = (time: Date): string => time.toISOString().slice(0, 7)

/** When the month after that of a time begins. */
export const nextMonth = (time: Date): Date =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1))

const unitMicros = 1_000_000n

/**
 * The maximum of one charge: its current price. In another currency than USD the rate moves, so that somewhat
 * more is allowed, in whole units; the consent names the sum.
 */
export function mostOf({ currency, micros }: Price): Price {
  if (currency === 'USD') return { currency, micros }
  const more = (micros * (100n + ratePercent)) / 100n
  return { currency, micros: ((more + unitMicros - 1n) / unitMicros) * unitMicros }
}
