import { describe, expect, it } from 'vitest'
import { groupDigits, pollIntervalMs } from './invoice-state.ts'

describe('pollIntervalMs', () => {
  it('is short for an open invoice, longer for one that may still change, and false for a final one', () => {
    expect([undefined, 'pending'].map((state) => pollIntervalMs(state as undefined))).toEqual([2000, 2000])
    for (const state of ['expired', 'underpaid', 'cancelled'] as const)
      expect(pollIntervalMs(state)).toBe(10_000)
    for (const state of ['paid', 'partly_refunded', 'refunded'] as const)
      expect(pollIntervalMs(state)).toBe(false)
  })
})

describe('groupDigits', () => {
  it('groups the characters by four', () => expect(groupDigits('9f3c1a0d5e')).toBe('9f3c\u00a01a0d\u00a05e'))
})
