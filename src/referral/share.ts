/** Sums of the referral programme: pure. */

const wholePpm = 1_000_000n

/** The share of a payment, in micro-USD; half of one goes up. */
export function shareOf(paidMicros: bigint, sharePpm: number): bigint {
  return (paidMicros * BigInt(sharePpm) + wholePpm / 2n) / wholePpm
}

/** The part of a share that is taken back with so much of the money; rounded down, in favour of the inviter. */
export function undonePart(
  shareMicros: bigint,
  { refundedMicros, paidMicros }: { refundedMicros: bigint; paidMicros: bigint },
): bigint {
  return refundedMicros >= paidMicros ? shareMicros : (shareMicros * refundedMicros) / paidMicros
}

/** Money that comes in pays what is owed first; the rest can be spent. */
export function payDebt(micros: bigint, owedMicros: bigint): { spendable: bigint; owed: bigint } {
  const paid = micros < owedMicros ? micros : owedMicros
  return { spendable: micros - paid, owed: owedMicros - paid }
}

/** Money that is taken back comes from the balance; what it lacks is owed from then on. */
export function takeBack(
  micros: bigint,
  { balance, owed }: { balance: bigint; owed: bigint },
): { taken: bigint; owed: bigint } {
  const taken = micros < balance ? micros : balance
  return { taken, owed: owed + micros - taken }
}
