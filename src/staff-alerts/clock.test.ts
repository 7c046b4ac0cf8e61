import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minutesPerDay, parseClock, printClock } from '#contract/desk/alerts'
import { dayIn, localTime } from '#lib/zone'
import { sized } from '#test/size'
import { clockTime, digestDue, isQuiet } from './clock.ts'

const zones = [
  'UTC',
  'Europe/Moscow',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
]
const zone = fc.constantFrom(...zones)
const minute = fc.integer({ min: 0, max: minutesPerDay - 1 })
const minuteMs = 60_000
const at = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 0, 1) }).map((ms) => new Date(ms))
/** Around the changes of the clocks in Berlin and New York. */
const nearChange = fc
  .tuple(
    fc.constantFrom('2026-03-29T01:00Z', '2026-10-25T01:00Z', '2026-03-08T07:00Z', '2026-11-01T06:00Z'),
    fc.integer({ min: -6 * 60, max: 6 * 60 }),
  )
  .map(([change, minutes]) => new Date(Date.parse(change) + minutes * minuteMs))
const shown = (name: string, when: Date) => {
  const local = localTime(name, when)
  return local.getUTCHours() * 60 + local.getUTCMinutes()
}

describe('quiet hours', () => {
  it('follow the local time of the zone, also across midnight', () => {
    const hours = (from: string, until: string) => ({
      from: parseClock(from) ?? 0,
      until: parseClock(until) ?? 0,
    })
    const inMoscow = (quiet: ReturnType<typeof hours>, time: string) =>
      isQuiet(quiet, 'Europe/Moscow', new Date(`2026-11-23T${time}+03:00`))
    const overnight = hours('23:00', '08:00')
    expect(
      ['22:59', '23:00', '23:59', '00:00', '07:59', '08:00'].map((time) => inMoscow(overnight, time)),
    ).toEqual([false, true, true, true, true, false])
    const noon = hours('12:00', '13:30')
    expect(['11:59', '12:00', '13:29', '13:30', '00:00'].map((time) => inMoscow(noon, time))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ])
    expect(isQuiet(null, 'UTC', new Date())).toBe(false)
  })

  it('and the remaining hours make up the day, through every change of the clocks', () => {
    fc.assert(
      fc.property(zone, minute, minute, fc.oneof(at, nearChange), (name, from, until, when) => {
        fc.pre(from !== until)
        const quiet = isQuiet({ from, until }, name, when)
        expect(isQuiet({ from: until, until: from }, name, when)).toBe(!quiet)
        expect(
          isQuiet({ from: shown(name, when), until: (shown(name, when) + 1) % minutesPerDay }, name, when),
        ).toBe(true)
      }),
      { numRuns: sized(200, 1_000) },
    )
  })

  it('end within a day, and within 25 hours where the clocks are set back', () => {
    fc.assert(
      fc.property(zone, minute, minute, nearChange, (name, from, until, when) => {
        fc.pre(from !== until)
        const steps = Array.from(
          { length: 25 * 60 + 1 },
          (_, index) => new Date(when.getTime() + index * minuteMs),
        )
        // A window of an hour or less may be the one that the clocks skip; then there is nothing to end.
        expect(
          steps.some((step) => !isQuiet({ from, until }, name, step)) ||
            Math.abs(until - from) <= 60 ||
            minutesPerDay - Math.abs(until - from) <= 60,
        ).toBe(true)
      }),
      { numRuns: sized(15, 50) },
    )
  })
})

describe('the message of the day', () => {
  it('has its time on each day, also where the clocks skip it or show it twice', () => {
    const time = (day: string, clock: string) =>
      clockTime('Europe/Berlin', day, parseClock(clock) ?? 0).toISOString()
    expect(time('2026-03-29', '02:30')).toBe('2026-03-29T01:30:00.000Z')
    expect(time('2026-10-25', '02:30')).toBe('2026-10-25T00:30:00.000Z')
    expect(time('2026-11-23', '09:00')).toBe('2026-11-23T08:00:00.000Z')
    expect(time('2026-11-23', '00:00')).toBe('2026-11-22T23:00:00.000Z')
    fc.assert(
      fc.property(zone, minute, fc.oneof(at, nearChange), (name, wanted, when) => {
        const day = dayIn(name, when)
        const reached = clockTime(name, day, wanted)
        const isShown = dayIn(name, reached) === day && shown(name, reached) === wanted
        // Only a time that the clocks skip is not shown: the next that they show is at most an hour later.
        expect(isShown || shown(name, reached) - wanted <= 60).toBe(true)
      }),
      { numRuns: sized(200, 1_000) },
    )
  })

  it('is sent once a day by a check each minute, however often the checks repeat', () => {
    fc.assert(
      fc.property(zone, minute, nearChange, (name, wanted, when) => {
        const sent: string[] = []
        let sentDay: string | null = dayIn(name, new Date(when.getTime() - 48 * 60 * minuteMs))
        for (let step = 0; step < 72 * 60; step += 3) {
          const day = digestDue({ minute: wanted, sentDay }, name, new Date(when.getTime() + step * minuteMs))
          if (day === null) continue
          sent.push(day)
          sentDay = day
        }
        expect(new Set(sent).size).toBe(sent.length)
        expect(sent.length).toBeGreaterThanOrEqual(3)
        expect(sent.length).toBeLessThanOrEqual(4)
      }),
      { numRuns: sized(10, 30) },
    )
  })

  it('is skipped when it is more than six hours late, or switched off', () => {
    const due = (now: string, sentDay: string | null = null) =>
      digestDue({ minute: 23 * 60, sentDay }, 'UTC', new Date(now))
    expect(due('2026-11-23T22:59Z')).toBeNull()
    expect(due('2026-11-23T23:00Z')).toBe('2026-11-23')
    expect(due('2026-11-24T04:59Z')).toBe('2026-11-23')
    expect(due('2026-11-24T05:01Z')).toBeNull()
    expect(due('2026-11-23T23:00Z', '2026-11-23')).toBeNull()
    expect(digestDue({ minute: null, sentDay: null }, 'UTC', new Date())).toBeNull()
  })
})

it('a time of day is read as it is written', () => {
  fc.assert(fc.property(minute, (value) => parseClock(printClock(value)) === value))
  expect(['24:00', '1:60', 'noon', '', '-1:00', '8'].map(parseClock)).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
  ])
})
