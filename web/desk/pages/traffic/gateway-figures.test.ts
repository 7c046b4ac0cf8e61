import { describe, expect, it } from 'vitest'
import { bitRateOf, tunnelsOf, uptimeOf } from './gateway-figures.ts'

const gateways = [
  {
    workers: [
      { tunnels: 3, bits_per_second: '9007199254740993' },
      { tunnels: null, bits_per_second: null },
    ],
  },
  { workers: [] },
  { workers: [{ tunnels: 4, bits_per_second: '7' }] },
] as unknown as Parameters<typeof tunnelsOf>[0]

describe('the figures of the gateways', () => {
  it('are sums over all workers; one that has not reported adds nothing', () => {
    expect(tunnelsOf(gateways)).toBe(7)
    expect(bitRateOf(gateways)).toBe(9_007_199_254_741_000n)
    expect([tunnelsOf([]), bitRateOf([])]).toEqual([0, 0n])
  })

  it('say since when a worker runs, in two units, and never a time below nothing', () => {
    const now = Date.parse('2026-11-27T12:00:00Z')
    const since = (at: string) => uptimeOf(at, now)
    expect(since('2026-11-27T11:59:01Z')).toEqual({ unit: 'minutes', minutes: 0 })
    expect(since('2026-11-27T10:30:00Z')).toEqual({ unit: 'hours', hours: 1, minutes: 30 })
    expect(since('2026-11-25T11:00:00Z')).toEqual({ unit: 'days', days: 2, hours: 1 })
    expect(since('2026-11-27T12:05:00Z')).toEqual({ unit: 'minutes', minutes: 0 })
  })
})
