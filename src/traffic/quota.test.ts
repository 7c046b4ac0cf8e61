import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grantOf } from './quota.ts'

const mib = 1_048_576n
const kib = 1024n
const amount = fc.bigInt({ min: 0n, max: 2n ** 50n })

describe('grantOf', () => {
  it('never gives more than there is, and something while there is something', () => {
    fc.assert(
      fc.property(amount, amount, (freeBytes, wantBytes) => {
        const granted = grantOf({ freeBytes, wantBytes })
        expect(granted <= freeBytes).toBe(true)
        expect(granted > 0n).toBe(freeBytes > 0n)
        if (freeBytes < 100n * mib) expect(granted <= mib).toBe(true)
      }),
    )
  })

  it('hands out every byte in a few steps', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 100n * mib }), (held) => {
        let freeBytes = held
        let steps = 0
        while (freeBytes > 0n) {
          freeBytes -= grantOf({ freeBytes, wantBytes: 64n * mib })
          steps++
        }
        expect(steps).toBeLessThanOrEqual(120)
      }),
    )
  })

  it('gives what is wanted while there is plenty, and shrinks near the end', () => {
    const want = (freeBytes: bigint) => grantOf({ freeBytes, wantBytes: 64n * mib })
    expect(want(1000n * mib)).toBe(64n * mib)
    expect(want(100n * mib)).toBe(25n * mib)
    expect(want(100n * mib - 1n)).toBe(mib)
    expect(want(2n * mib)).toBe(512n * kib)
    expect(want(100n * kib)).toBe(64n * kib)
    expect(want(64n * kib)).toBe(64n * kib)
    expect(want(1n)).toBe(1n)
    expect(want(0n)).toBe(0n)
    expect(want(-5n)).toBe(0n)
    expect(grantOf({ freeBytes: mib, wantBytes: 1n })).toBe(64n * kib)
  })
})
