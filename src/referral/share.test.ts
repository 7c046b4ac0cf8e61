import fc from 'fast-check'
import { expect, it } from 'vitest'
import { payDebt, shareOf, takeBack, undonePart } from './share.ts'

const micros = fc.bigInt({ min: 0n, max: 10n ** 15n })

it('is within half a micro-dollar of the exact share, and grows with the payment', () => {
  fc.assert(
    fc.property(micros, micros, fc.integer({ min: 0, max: 1_000_000 }), (paid, more, ppm) => {
      const error = shareOf(paid, ppm) * 1_000_000n - paid * BigInt(ppm)
      expect(error > -500_000n && error <= 500_000n).toBe(true)
      expect(shareOf(paid + more, ppm) >= shareOf(paid, ppm)).toBe(true)
      expect(shareOf(paid, ppm) <= paid).toBe(true)
    }),
  )
  expect(shareOf(34_990_000n, 100_000)).toBe(3_499_000n)
})

it('is taken back in proportion to the money, entirely with all of it', () => {
  fc.assert(
    fc.property(
      micros,
      micros,
      fc.bigInt({ min: 1n, max: 10n ** 15n }),
      (share, refundedMicros, paidMicros) => {
        const undone = undonePart(share, { refundedMicros, paidMicros })
        expect(undone >= 0n && undone <= share).toBe(true)
        if (refundedMicros >= paidMicros) expect(undone).toBe(share)
        else expect(undone * paidMicros <= share * refundedMicros).toBe(true)
      },
    ),
  )
})

it('loses nothing between balance and debt, for any sequence of postings', () => {
  const move = fc.record({ isGain: fc.boolean(), micros })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
      let [balance, owed, sum] = [0n, 0n, 0n]
      for (const { isGain, micros: amount } of moves) {
        if (isGain) {
          const after = payDebt(amount, owed)
          balance += after.spendable
          owed = after.owed
          sum += amount
        } else {
          const after = takeBack(amount, { balance, owed })
          balance -= after.taken
          owed = after.owed
          sum -= amount
        }
        expect(balance >= 0n && owed >= 0n).toBe(true)
        expect(balance - owed).toBe(sum)
        expect(balance === 0n || owed === 0n).toBe(true)
      }
    }),
  )
})
