import { expect, it } from 'vitest'
import { ownLeft } from './own.ts'

const lots = [
  { invoiceId: 1n, bytes: 10n },
  { invoiceId: null, bytes: 4n },
  { invoiceId: 2n, bytes: 6n },
]

it('the oldest purchases are used first', () => {
  expect([20n, 15n, 10n, 3n, 0n].map((held) => ownLeft(lots, held, 1n))).toEqual([10n, 5n, 0n, 0n, 0n])
  expect([20n, 15n, 10n, 3n, 0n].map((held) => ownLeft(lots, held, 2n))).toEqual([6n, 6n, 6n, 3n, 0n])
})

it('a purchase that was moved away has nothing left, whatever other purchases have', () => {
  const moved = [
    { invoiceId: 1n, bytes: 10n },
    { invoiceId: 2n, bytes: 0n },
  ]
  expect(ownLeft(moved, 10n, 2n)).toBe(0n)
  expect(ownLeft(moved, 10n, 3n)).toBe(0n)
})
