import { expect, it } from 'vitest'
import { barsOf, namedSpan, spanOf, totalOf } from './period.ts'

const now = Date.parse('2026-05-17T10:20:30Z')
const sum = (key: string, charged: string, bonus: string | null = '0') => ({
  key,
  name: null,
  charged_bytes: charged,
  bonus_bytes: bonus,
  relayed_bytes: charged,
  requests: '1',
})

it('the period covers whole hours or whole days of UTC, the running one included', () => {
  expect(spanOf('day', now)).toEqual({
    from: '2026-05-16T11:00:00.000Z',
    until: '2026-05-17T11:00:00.000Z',
    by: 'hour',
    stepMs: 3_600_000,
  })
  expect(spanOf('week', now)).toMatchObject({ from: '2026-05-11T00:00:00.000Z', by: 'day' })
  expect(spanOf('month', now)).toMatchObject({
    from: '2026-04-18T00:00:00.000Z',
    until: '2026-05-18T00:00:00.000Z',
  })
})

it('the period has a bar for each step, also for those without traffic', () => {
  const bars = barsOf(spanOf('day', now), [sum('2026-05-17T10:00:00Z', '100', '30')])
  expect(bars).toHaveLength(24)
  expect(bars.at(-1)).toEqual({ at: '2026-05-17T10:00:00.000Z', total: 100n, front: 70n })
  expect(bars.slice(0, -1).every(({ total }) => total === 0n)).toBe(true)
  const days = barsOf(spanOf('week', now), [sum('2026-05-11', '5'), sum('2026-05-17', '7', null)])
  expect(days.map(({ total }) => total)).toEqual([5n, 0n, 0n, 0n, 0n, 0n, 7n])
})

it('the period adds up its steps', () => {
  expect(totalOf([sum('a', '9007199254740993', '1'), sum('b', '1', null)])).toEqual({
    charged: 9_007_199_254_740_994n,
    bonus: 1n,
    relayed: 9_007_199_254_740_994n,
    requests: 2n,
  })
})

it('the period is the one that the address names: whole hours of three days at most, whole days of more', () => {
  expect(namedSpan('2026-05-16T18:30:00.000Z', '2026-05-17T10:20:30.000Z')).toEqual({
    from: '2026-05-16T18:00:00.000Z',
    until: '2026-05-17T11:00:00.000Z',
    by: 'hour',
    stepMs: 3_600_000,
  })
  expect(namedSpan('2026-05-01T00:00:00Z', '2026-05-17T10:00:00Z')).toMatchObject({ by: 'day' })
  for (const [from, until] of [
    [null, null],
    ['2026-05-17', '2026-05-16'],
    ['yesterday', 'today'],
  ] as const)
    expect(namedSpan(from, until)).toBeNull()
})
