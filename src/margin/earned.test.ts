import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide, earn, freeBytes, type Lot, nothingTaken, type LotUse, takenBy } from './earned.ts'

const gb = 1_000_000_000n
const usd = 1_000_000n
const paid = (bytes: bigint, micros: bigint): Lot => ({ bytes, micros, feeMicros: 0n, shareMicros: 0n })

const money = ['micros', 'feeMicros', 'shareMicros'] as const
const sum = (all: readonly LotUse[]) =>
  Object.fromEntries(money.map((of) => [of, all.reduce((total, one) => total + one[of], 0n)]))
const earnedBy = (lots: readonly Lot[], used: bigint) => sum(takenBy(lots, used))
const begin = { usedBytes: 0n, taken: [] }

describe('used traffic', () => {
  it('earns the price of the purchases that it uses up, oldest first', () => {
    const lots = [paid(2n * gb, 7n * usd), paid(gb, usd)]
    const used = [0n, gb, 2n * gb, (5n * gb) / 2n, 3n * gb, 4n * gb]
    expect(used.map((bytes) => earnedBy(lots, bytes)['micros'])).toEqual([
      0n,
      3_500_000n,
      7_000_000n,
      7_500_000n,
      8_000_000n,
      8_000_000n,
    ])
    // Usage beyond all purchases belongs to none.
    expect(takenBy(lots, 4n * gb).at(-1)).toEqual({ ...nothingTaken, usedBytes: gb })
  })

  it('bears its part of its purchase’s fee and referral share', () => {
    const lot = { bytes: 2n * gb, micros: 7n * usd, feeMicros: 300_000n, shareMicros: 700_000n }
    expect(takenBy([lot], gb)[0]).toEqual({
      usedBytes: gb,
      micros: 3_500_000n,
      feeMicros: 150_000n,
      shareMicros: 350_000n,
    })
  })

  it('loses the money that a refund returned for used traffic, and keeps the rest', () => {
    const used = { usedBytes: gb, taken: takenBy([paid(gb, 3n * usd)], gb) }
    expect(earn([paid(gb, 0n)], used, [0n]).earned[0]?.[0]?.micros).toBe(-3n * usd)
    // All traffic was taken back, and all but one dollar was refunded.
    expect(earnedBy([paid(0n, usd)], 0n)['micros']).toBe(usd)
  })

  const lot = fc.record({
    bytes: fc.bigInt(0n, 10n ** 13n),
    micros: fc.bigInt(0n, 10n ** 10n),
    feeMicros: fc.bigInt(0n, 10n ** 9n),
    shareMicros: fc.bigInt(0n, 10n ** 9n),
  })
  const lots = fc.array(lot, { maxLength: 6 })
  const bought = (all: readonly Lot[]) => all.reduce((total, { bytes }) => total + bytes, 0n)
  const total = (all: readonly Lot[]) => sum(all.map((one) => ({ ...one, usedBytes: 0n })))

  it('earns exactly the amount paid, however it is divided', () => {
    fc.assert(
      fc.property(lots, fc.array(fc.bigInt(0n, 10n ** 12n), { maxLength: 12 }), (all, amounts) => {
        const { earned, position } = earn(all, begin, amounts)
        expect(sum(earned.flat())).toEqual(sum(position.taken))
        if (amounts.length > 0) expect(sum(position.taken)).toEqual(earnedBy(all, position.usedBytes))
        for (const [index, taken] of earned.entries()) {
          expect(taken.reduce((used, { usedBytes }) => used + usedBytes, 0n)).toBe(amounts[index])
          for (const one of taken) expect(one.micros).toBeGreaterThanOrEqual(0n)
        }
        expect(earnedBy(all, bought(all))).toEqual(total(all))
        expect(earnedBy(all, bought(all) + 1n)).toEqual(total(all))
      }),
    )
  })

  it('has earned the value of the purchases’ current state after they have changed', () => {
    // A refund changes a purchase but never removes it.
    const changed = fc.array(fc.tuple(lot, lot), { maxLength: 6 })
    const bytes = fc.bigInt(0n, 10n ** 13n)
    fc.assert(
      fc.property(changed, bytes, bytes, (pairs, some, more) => {
        const [before, after] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
        const first = earn(before, begin, [some])
        const second = earn(after, first.position, [more])
        expect(sum([...first.earned.flat(), ...second.earned.flat()])).toEqual(earnedBy(after, some + more))
      }),
    )
  })
})

describe('what earns nothing', () => {
  const of = (charged: bigint, bonus: bigint, relayed: bigint) =>
    freeBytes({ chargedBytes: charged, bonusBytes: bonus, relayedBytes: relayed })

  it('is bonus traffic, also at a double tariff, and forgiven traffic', () => {
    expect(of(2n * gb, gb, 2n * gb)).toBe(gb)
    expect(of(2n * gb, gb, gb)).toBe(gb / 2n)
    expect(of(0n, 0n, gb)).toBe(gb)
    expect(of(gb, 0n, 2n * gb)).toBe(gb)
    expect(of(2n * gb, 0n, gb)).toBe(0n)
  })

  it('is divided exactly', () => {
    const weights = fc.array(fc.bigInt(-5n, 10n ** 12n), { maxLength: 9 })
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), weights, (whole, parts) => {
        const divided = divide(whole, parts)
        const isWeighty = parts.some((weight) => weight > 0n)
        expect(divided?.reduce((all, part) => all + part, 0n)).toBe(isWeighty ? whole : undefined)
      }),
    )
  })
})
