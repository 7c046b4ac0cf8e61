import fc from 'fast-check'
import { expect, it } from 'vitest'
import { payDebt, shareOf, takeBack, undonePart } from './share.ts'

const micros = fc.bigInt({ min: 0n, max: 10n ** 15n })

it('a share is within half a micro-dollar of the exact share, and grows with the payment', () => {
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

it('a share is taken back in proportion to the money, entirely with all of it', () => {
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

it('a share loses nothing between balance, request and debt, for any sequence of postings', () => {
  const move = fc.record({ kind: fc.constantFrom('gain', 'undo', 'request', 'end', 'pay'), micros })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
      let [balance, requested, owed, sum] = [0n, 0n, 0n, 0n]
      const gain = (amount: bigint) => {
        const after = payDebt(amount, owed)
        balance += after.spendable
        owed = after.owed
      }
      for (const { kind, micros: amount } of moves) {
        if (kind === 'gain') {
          gain(amount)
          sum += amount
        } else if (kind === 'undo') {
          const after = takeBack(amount, { balance, requested, owed })
          balance -= after.taken
          requested -= after.fromRequest
          owed = after.owed
          sum -= amount
        } else if (kind === 'request' && requested === 0n) {
          requested = amount < balance ? amount : balance
          balance -= requested
        } else if (kind === 'end') {
          const returned = requested
          requested = 0n
          gain(returned)
        } else if (kind === 'pay') {
          sum -= requested
          requested = 0n
        }
        expect(balance >= 0n && requested >= 0n && owed >= 0n).toBe(true)
        expect(balance + requested - owed).toBe(sum)
        // There is no debt while any money is left to take.
        expect(owed === 0n || balance + requested === 0n).toBe(true)
      }
    }),
  )
})
