import { describe, expect, it } from 'vitest'
import { formatDateTime, formatRecentTime, hourOf } from './format-time.ts'

const iso = '2026-11-20T10:02:31.000Z'

describe('formatDateTime', () => {
  it('has the day and the minute in the given language', () => {
    expect(formatDateTime(iso, 'ru')).toMatch(/20 нояб\. 2026.*\d\d:\d\d/)
    expect(formatDateTime(iso, 'en')).toMatch(/Nov 20, 2026.*\d:\d\d/)
  })
})

describe('formatRecentTime', () => {
  it('has no year', () => {
    expect(formatRecentTime(iso, 'ru')).toMatch(/^20 нояб\D*\d\d:\d\d$/)
    expect(formatRecentTime(iso, 'en')).toMatch(/^Nov 20, \d+:\d\d/)
  })
})

it('an hour has no minutes in English', () => {
  const at = (language: 'ru' | 'en') =>
    new Date('2026-11-20T13:00:00').toLocaleTimeString(language, hourOf(language))
  expect([at('en'), at('ru')]).toEqual(['1 PM', '13:00'])
})
