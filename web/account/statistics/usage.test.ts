import { describe, expect, it } from 'vitest'
import { openSectionsIn, usageOf } from './usage.ts'

describe('usageOf', () => {
  it('separates paid and bonus traffic exactly and relates each day to the one with the most traffic', () => {
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
  it('has no shares without traffic', () => {
    const usage = usageOf({
      usage: [{ d_usage: '2026-11-20', traffic: 0, extra_traffic: 0, request: 0 }],
      total: { traffic: 0, extra_traffic: 0 },
    })
    expect(usage.days[0]).toMatchObject({ paidShare: 0, bonusShare: 0 })
  })
})

describe('openSectionsIn', () => {
  it('is the week without the parameter and empty for an empty parameter', () => {
    expect([...openSectionsIn(null)]).toEqual(['week'])
    expect([...openSectionsIn('')]).toEqual([])
    expect([...openSectionsIn('week,month')]).toEqual(['week', 'month'])
  })
})
