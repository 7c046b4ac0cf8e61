/** Sums of the referral programme: pure. */

const wholePpm = 1_000_000n

/** The share of a payment, in micro-USD, rounded half up. */
export function shareOf(paidMicros: bigint, sharePpm: number): bigint {
  return (paidMicros * BigInt(sharePpm) + wholePpm / 2n) / wholePpm
}

/** The part of a share that is taken back with this part of the money; rounded down, in favour of the inviter. */
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

/** Money taken back comes from the balance; the missing part becomes a debt. */
export function takeBack(
  micros: bigint,
  { balance, owed }: { balance: bigint; owed: bigint },
): { taken: bigint; owed: bigint } {
  const taken = micros < balance ? micros : balance
  return { taken, owed: owed + micros - taken }
}
