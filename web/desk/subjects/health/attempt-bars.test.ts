import { expect, it } from 'vitest'
import { attemptBars } from './attempt-bars.ts'

const now = Date.parse('2026-11-28T12:30:20Z')
const at = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

it('places minutes of the last hour, and shows a failure beside a busy minute', () => {
  const bars = attemptBars(
    [
      { at: at(61), answered: '9', failed: '0' },
      { at: at(59), answered: '1000', failed: '0' },
      { at: at(1), answered: '999', failed: '1' },
      { at: at(0), answered: '0', failed: '500' },
    ],
    now,
  )
  expect(bars.map(({ index }) => index)).toEqual([0, 58, 59])
  expect(bars[0]).toMatchObject({ answered: 1, failed: 0 })
  expect(bars[1]).toMatchObject({ answered: 0.92, failed: 0.08 })
  expect(bars[2]).toMatchObject({ answered: 0, failed: 0.5 })
})
