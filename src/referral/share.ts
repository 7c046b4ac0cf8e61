/** Sums of the referral programme: pure. */
import { least } from '#lib/bigint'

const wholePpm = 1_000_000n

/** The share of a payment, in micro-USD, rounded half up. */
export function shareOf(paidMicros: bigint, sharePpm: number): bigint {
  return (paidMicros * BigInt(sharePpm) + wholePpm / 2n) / wholePpm
}

/**
 * The part of a share that is taken back with this part of the money; rounded down, in favour of the inviter.
 */
export function undonePart(
  shareMicros: bigint,
  { refundedMicros, paidMicros }: { refundedMicros: bigint; paidMicros: bigint },
): bigint {
  return refundedMicros >= paidMicros ? shareMicros : (shareMicros * refundedMicros) / paidMicros
}

/** Incoming money pays the debt first; the rest can be spent. */
export function payDebt(micros: bigint, owedMicros: bigint): { spendable: bigint; owed: bigint } {
  const paid = micros < owedMicros ? micros : owedMicros
  return { spendable: micros - paid, owed: owedMicros - paid }
}

/**
 * Money taken back comes from the balance, then from what is requested to be paid out; the missing part
 * becomes a debt.
 */
export function takeBack(
  micros: bigint,
  { balance, requested, owed }: { balance: bigint; requested: bigint; owed: bigint },
): { taken: bigint; fromRequest: bigint; owed: bigint } {
  const taken = least(micros, balance)
  const fromRequest = least(micros - taken, requested)
  return { taken, fromRequest, owed: owed + micros - taken - fromRequest }
}
