import { describe, expect, it } from 'vitest'
import { jumpOf, rateIn } from './rate-form.ts'

describe('a rate that is typed', () => {
  it('has a point or a comma', () => {
    expect(rateIn(' 92,50 ')).toBe(92_500_000n)
    expect(rateIn('0.9213')).toBe(921_300n)
    for (const text of ['', '0', '-1', '1e30', '1,234.5', '92.1234567', '=1+1'])
      expect(rateIn(text)).toBeNull()
  })

  it('needs confirmation where it differs much from the previous one', () => {
    expect(jumpOf(9_250_000n, 92_500_000n)).toBeCloseTo(0.9)
    expect(jumpOf(94_000_000n, 92_500_000n)).toBeNull()
    expect(jumpOf(94_000_000n, null)).toBeNull()
  })
})
