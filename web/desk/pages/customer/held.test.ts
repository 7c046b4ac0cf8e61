import { expect, it } from 'vitest'
import { heldIn, isBoundByDay } from './held.ts'

it('the traffic of a pool is paid and bonus together, and none where there is no balance', () => {
  const balances = [{ pool: 'mobile', paid_bytes: '9007199254740993', bonus_bytes: '7' }] as const
  expect(heldIn(balances, 'mobile')).toBe(9_007_199_254_741_000n)
  expect(heldIn(balances, 'residential')).toBe(0n)
})

it('only giving is bounded, and only without the permission to adjust', () => {
  expect(isBoundByDay('give', [])).toBe(true)
  expect(isBoundByDay('give', ['customers.adjust'])).toBe(false)
  expect(isBoundByDay('take', [])).toBe(false)
})
