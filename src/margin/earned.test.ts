import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { earn, earnedBy, type Lot } from './earned.ts'

const gb = 1_000_000_000n
const usd = 1_000_000n

describe('used traffic', () => {
  it('earns the price of the purchases that it uses up, the first first', () => {
    const lots = [
      { bytes: 2n * gb, micros: 7n * usd },
      { bytes: gb, micros: usd },
    ]
    expect([0n, gb, 2n * gb, (5n * gb) / 2n, 3n * gb, 4n * gb].map((used) => earnedBy(lots, used))).toEqual([
      0n,
      3_500_000n,
      7_000_000n,
      7_500_000n,
      8_000_000n,
      8_000_000n,
    ])
  })

  it('gives back what a refund returned for used traffic, and keeps what it did not return', () => {
    const used = { usedBytes: gb, earnedMicros: 3n * usd }
    expect(earn([{ bytes: gb, micros: 0n }], used, [0n]).earned).toEqual([-3n * usd])
    // All the traffic was taken back, and a dollar kept.
    expect(earnedBy([{ bytes: 0n, micros: usd }], 0n)).toBe(usd)
  })

  const lot = fc.record({ bytes: fc.bigInt(0n, 10n ** 13n), micros: fc.bigInt(0n, 10n ** 10n) })
  const lots = fc.array(lot, { maxLength: 6 })
  const total = (all: readonly Lot[]) => all.reduce((sum, { micros }) => sum + micros, 0n)
  const bought = (all: readonly Lot[]) => all.reduce((sum, { bytes }) => sum + bytes, 0n)

  it('earns neither more nor less than was paid, however it is divided', () => {
    fc.assert(
      fc.property(lots, fc.array(fc.bigInt(0n, 10n ** 12n), { maxLength: 12 }), (all, amounts) => {
        const { earned, position } = earn(all, { usedBytes: 0n, earnedMicros: 0n }, amounts)
        const sum = earned.reduce((a, b) => a + b, 0n)
        expect(sum).toBe(amounts.length === 0 ? 0n : earnedBy(all, position.usedBytes))
        expect(position.earnedMicros).toBe(sum)
        for (const micros of earned) expect(micros).toBeGreaterThanOrEqual(0n)
        expect(earnedBy(all, bought(all))).toBe(total(all))
        expect(earnedBy(all, bought(all) + 1n)).toBe(total(all))
      }),
    )
  })

  it('has earned, after purchases have changed, what those as they are now have', () => {
    fc.assert(
      fc.property(
        lots,
        lots,
        fc.bigInt(0n, 10n ** 13n),
        fc.bigInt(0n, 10n ** 13n),
        (before, after, some, more) => {
          const first = earn(before, { usedBytes: 0n, earnedMicros: 0n }, [some])
          const second = earn(after, first.position, [more])
          expect((first.earned[0] ?? 0n) + (second.earned[0] ?? 0n)).toBe(earnedBy(after, some + more))
        },
      ),
    )
  })
})
