import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, dayIn, daysBetween, minuteInUtc, offsetMs, readZone, startOfDay } from './zone.ts'

const zones = [
  'UTC',
  'Europe/Moscow',
  'America/New_York',
  'Asia/Kolkata',
  'Africa/Cairo',
  'America/Santiago',
  'Pacific/Apia',
]

describe('a day of a zone', () => {
  it.each([
    ['UTC', '2026-11-23', '2026-11-23T00:00:00.000Z'],
    ['Europe/Moscow', '2026-11-23', '2026-11-22T21:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-23', '2026-11-22T18:30:00.000Z'],
    // The clocks change in the night after the first, and in the night of the second.
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
    // Midnight does not exist: the clocks go from 24:00 to 1:00.
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z'],
    // Midnight comes twice: at 24:00 the clocks go back to 23:00.
    ['Africa/Cairo', '2024-11-01', '2024-10-31T22:00:00.000Z'],
    ['America/Santiago', '2024-09-08', '2024-09-08T04:00:00.000Z'],
  ])('%s: %s begins at %s', (zone, day, at) => {
    expect(startOfDay(zone, day).toISOString()).toBe(at)
  })

  it('follows the one before without a gap, whatever the zone', () => {
    const first = Date.parse('1995-01-01')
    const time = fc.integer({ min: first, max: Date.parse('2035-01-01') })
    fc.assert(
      fc.property(fc.constantFrom(...zones), time, (zone, ms) => {
        const at = new Date(ms)
        const day = dayIn(zone, at)
        const start = startOfDay(zone, day)
        expect(start.getTime()).toBeLessThanOrEqual(ms)
        expect(startOfDay(zone, addDays(day, 1)).getTime()).toBeGreaterThan(ms)
        expect(dayIn(zone, start)).toBe(day)
      }),
      { numRuns: 300 },
    )
  })

  it('ends where the next begins, also of a day that the zone skipped', () => {
    const { days, starts } = daysBetween('Pacific/Apia', '2011-12-29', '2011-12-31')
    expect(days).toEqual(['2011-12-29', '2011-12-30', '2011-12-31'])
    const hours = starts
      .slice(1)
      .map((end, index) => (end.getTime() - (starts[index]?.getTime() ?? 0)) / 3_600_000)
    expect(hours).toEqual([24, 0, 24])
  })
})

describe('a zone', () => {
  it('is known by its name alone', () => {
    expect(readZone('europe/moscow')).toBe('Europe/Moscow')
    expect(readZone('UTC')).toBe('UTC')
    for (const name of ['Mars/Olympus', '', 'UTC; drop table']) expect(readZone(name)).toBeNull()
  })

  it('has an offset, of seconds too', () => {
    expect(offsetMs('Asia/Kolkata', new Date('2026-01-01T00:00:00.250Z'))).toBe(5.5 * 3_600_000)
    expect(offsetMs('Europe/Moscow', new Date('1900-01-01T00:00:00Z'))).toBe(9_017_000)
  })
})

describe('a minute in UTC', () => {
  it.each([
    ['2026-11-20T12:00:59.999Z', '2026-11-20 12:00 UTC'],
    // Times with another offset are printed in UTC, where the day may differ.
    ['2026-11-20T01:30:00+03:00', '2026-11-19 22:30 UTC'],
  ])('of %s is %s, as text or as a date', (at, said) => {
    expect(minuteInUtc(at)).toBe(said)
    expect(minuteInUtc(new Date(at))).toBe(said)
  })
})
