import { describe, expect, it } from 'vitest'
import { askAgainMs, momentText, spacedNumber } from './standing.ts'

describe('askAgainMs', () => {
  it('watches closely what is open, now and then what may still change, and never what is done', () => {
    expect([undefined, 'pending'].map((state) => askAgainMs(state as undefined))).toEqual([2000, 2000])
    for (const state of ['expired', 'underpaid', 'cancelled'] as const) expect(askAgainMs(state)).toBe(10_000)
    for (const state of ['paid', 'refunded'] as const) expect(askAgainMs(state)).toBe(false)
  })
})

describe('momentText', () => {
  it('names the day and the minute in the language', () => {
    expect(momentText('2026-11-20T10:02:31.000Z', 'ru')).toMatch(/20 нояб\. 2026.*\d\d:\d\d/)
    expect(momentText('2026-11-20T10:02:31.000Z', 'en')).toMatch(/Nov 20, 2026.*\d:\d\d/)
  })
})

describe('spacedNumber', () => {
  it('parts the signs by four', () => expect(spacedNumber('9f3c1a0d5e')).toBe('9f3c\u00a01a0d\u00a05e'))
})
