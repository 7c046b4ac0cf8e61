import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grantOf } from './quota.ts'

const mib = 1_048_576n
const kib = 1024n
const amount = fc.bigInt({ min: 0n, max: 2n ** 50n })
const alone = { ownBytes: 0n, othersBytes: 0n, holders: 1 }

describe('grantOf', () => {
  const demand = fc.record({
    freeBytes: amount,
    wantBytes: amount,
    ownBytes: amount,
    othersBytes: amount,
    holders: fc.integer({ min: 1, max: 50 }),
  })

  it('never grants more than is free, and grants bytes while any are free', () => {
    fc.assert(
      fc.property(demand, (given) => {
        const granted = grantOf(given)
        expect(granted <= given.freeBytes).toBe(true)
        expect(granted > 0n).toBe(given.freeBytes > 0n)
      }),
    )
  })

  it('grants no holder more than an equal share, and leaves one share free, except for amounts below the smallest lease', () => {
    fc.assert(
      fc.property(demand, (given) => {
        const { freeBytes, ownBytes, othersBytes, holders } = given
        const share = (freeBytes + ownBytes + othersBytes) / BigInt(holders + 1)
        const granted = grantOf(given)
        expect(granted <= 64n * kib || ownBytes + granted <= share).toBe(true)
      }),
    )
  })

  it('grants equal shares to holders that have given everything back, and leaves the same for another', () => {
    const holds = fc.bigInt({ min: 10n * mib, max: 2n ** 50n })
    fc.assert(
      fc.property(holds, fc.integer({ min: 1, max: 8 }), (held, holders) => {
        let freeBytes = held
        for (let at = 0; at < holders; at++) {
          const othersBytes = held - freeBytes
          const granted = grantOf({ freeBytes, ownBytes: 0n, othersBytes, holders, wantBytes: held })
          expect(granted).toBe(held / BigInt(holders + 1))
          freeBytes -= granted
        }
        expect(freeBytes >= held / BigInt(holders + 1)).toBe(true)
      }),
    )
  })

  it('grants every byte in a few steps', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 40n }), (held) => {
        let freeBytes = held
        let steps = 0
        while (freeBytes > 0n) {
          freeBytes -= grantOf({ ...alone, freeBytes, wantBytes: 2n ** 40n })
          steps++
        }
        expect(steps).toBeLessThanOrEqual(60)
      }),
    )
  })

  it('grants what is requested while the balance is large, and less near its end', () => {
    const want = (freeBytes: bigint) => grantOf({ ...alone, freeBytes, wantBytes: 64n * mib })
    expect(want(1000n * mib)).toBe(64n * mib)
    expect(want(100n * mib)).toBe(50n * mib)
    expect(want(2n * mib)).toBe(mib)
    expect(want(100n * kib)).toBe(64n * kib)
    expect(want(64n * kib)).toBe(64n * kib)
    expect(want(1n)).toBe(1n)
    expect(want(0n)).toBe(0n)
    expect(want(-5n)).toBe(0n)
    expect(grantOf({ ...alone, freeBytes: mib, wantBytes: 1n })).toBe(64n * kib)
  })
})
