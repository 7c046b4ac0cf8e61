import { expect, it } from 'vitest'
import { daysLeft, isSoon } from './days-left.ts'

const now = new Date('2026-11-23T12:00:00Z')

it.each([
  ['2026-11-23T12:00:00Z', 0, true],
  ['2026-11-24T11:59:59Z', 0, true],
  ['2026-11-24T12:00:00Z', 1, true],
  ['2026-11-26T11:59:59Z', 2, true],
  ['2026-11-26T12:00:00Z', 3, false],
  ['2026-11-23T11:59:59Z', -1, true],
])('until %s there are %i whole days', (until, days, soon) => {
  expect(daysLeft(until, now)).toBe(days)
  expect(isSoon(until, now)).toBe(soon)
})
