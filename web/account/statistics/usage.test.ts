import { describe, expect, it } from 'vitest'
import { openedFromAddress, usageOf } from './usage.ts'

describe('usageOf', () => {
  it('tells paid from bonus, exactly, and gives each day its share of the longest', () => {
    const usage = usageOf({
      usage: [
        { d_usage: '2026-11-19', traffic: 0, extra_traffic: 0, request: 0 },
        { d_usage: '2026-11-20', traffic: 2000, extra_traffic: 0.5, request: 12 },
        { d_usage: '2026-11-21T00:00:00Z', traffic: 0.0053, extra_traffic: 0, request: 1 },
      ],
      total: { traffic: 2005.3, extra_traffic: 0.5 },
    })
    expect(usage.totalBytes).toBe(2_005_300_000n)
    expect(usage.paidBytes).toBe(1_505_300_000n)
    expect(usage.bonusBytes).toBe(500_000_000n)
    expect(usage.requests).toBe(13)
    expect(usage.days.map((day) => [day.date, day.paidShare, day.bonusShare])).toEqual([
      ['2026-11-19', 0, 0],
      ['2026-11-20', 0.75, 0.25],
      ['2026-11-21', 0.00265, 0],
    ])
  })
  it('has no share where nothing was used', () => {
    const usage = usageOf({
      usage: [{ d_usage: '2026-11-20', traffic: 0, extra_traffic: 0, request: 0 }],
      total: { traffic: 0, extra_traffic: 0 },
    })
    expect(usage.days[0]).toMatchObject({ paidShare: 0, bonusShare: 0 })
  })
})

describe('openedFromAddress', () => {
  it('opens the week when the address says nothing, and nothing when it says so', () => {
    expect([...openedFromAddress(null)]).toEqual(['week'])
    expect([...openedFromAddress('')]).toEqual([])
    expect([...openedFromAddress('week,month')]).toEqual(['week', 'month'])
  })
})
