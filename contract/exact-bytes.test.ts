import { describe, expect, it } from 'vitest'
import { exactBytesIn } from './exact-bytes.ts'

describe('traffic to the byte', () => {
  it.each([
    [5_000_000_000n, null],
    [4_999_999_015n, '4\u00a0999\u00a0999\u00a0015\u00a0Б'],
    [1_230_000n, null],
    [1_234_567n, '1\u00a0234\u00a0567\u00a0Б'],
    [985n, null],
    [0n, null],
  ])('of %d is %j where 2 decimals leave something out', (bytes, text) => {
    expect(exactBytesIn(bytes, 'ru')).toBe(text)
  })
})
