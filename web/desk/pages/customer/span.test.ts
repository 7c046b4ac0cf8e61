import { expect, it } from 'vitest'
import { spanText } from './span.ts'

it.each([
  [0, '0 sec'],
  [59_999, '59 sec'],
  [60_000, '1 min'],
  [3_600_000 * 5 + 60_000, '5 hr'],
  [86_400_000 * 3, '3 days'],
])('%i ms is %s', (ms, text) => {
  expect(spanText(ms, 'en')).toBe(text)
})
