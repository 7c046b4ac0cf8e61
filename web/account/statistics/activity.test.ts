import { expect, it } from 'vitest'
import { perSecond } from './activity.ts'

it('the activity shows requests per second to two decimals, and never none where there was one', () => {
  expect([0, 1, 60, 90, 250].map(perSecond)).toEqual([0, 0.02, 1, 1.5, 4.17])
  expect(perSecond(0.1)).toBe(0.01)
})
