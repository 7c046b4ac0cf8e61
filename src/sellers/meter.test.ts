import fc from 'fast-check'
import { expect, it } from 'vitest'
import { partsBetween } from './meter.ts'

const minuteMs = 60_000
const at = (text: string) => new Date(`2026-11-${text}:00Z`)
const reading = (bytes: bigint, text: string) => ({ bytes, at: at(text) })

it('usage is the decrease of the balance, or the increase of the all-time usage', () => {
  const part = { day: '2026-11-20', usedBytes: 30n, isRefilled: false, isMissed: false }
  expect(partsBetween('left', reading(100n, '20T12:00'), reading(70n, '20T12:05'))).toMatchObject([part])
  expect(partsBetween('used', reading(70n, '20T12:00'), reading(100n, '20T12:05'))).toMatchObject([part])
})

it('usage is unknown while the amount changed in the other direction', () => {
  const [part] = partsBetween('left', reading(70n, '20T12:00'), reading(100n, '20T12:05'))
  expect(part).toMatchObject({ usedBytes: 0n, isRefilled: true })
  expect(partsBetween('used', reading(70n, '20T12:00'), reading(0n, '20T12:05'))[0]?.isRefilled).toBe(true)
})

it('usage across midnight is divided by time, and both days are marked after a long gap between readings', () => {
  expect(partsBetween('left', reading(100n, '20T23:57'), reading(0n, '21T00:02'))).toEqual([
    {
      day: '2026-11-20',
      from: at('20T23:57'),
      until: at('21T00:00'),
      usedBytes: 60n,
      isRefilled: false,
      isMissed: false,
    },
    {
      day: '2026-11-21',
      from: at('21T00:00'),
      until: at('21T00:02'),
      usedBytes: 40n,
      isRefilled: false,
      isMissed: false,
    },
  ])
  const late = partsBetween('left', reading(100n, '20T23:50'), reading(0n, '21T00:06'))
  expect(late.map(({ isMissed }) => isMissed)).toEqual([true, true])
})

it('usage loses no byte and no minute over any gap, and is unknown where the clock was set back', () => {
  const time = fc
    .integer({ min: 0, max: 4 * 24 * 60 })
    .map((minutes) => new Date(Date.UTC(2026, 10, 20) + minutes * minuteMs))
  const bytes = fc.bigInt(0n, 10n ** 15n)
  fc.assert(
    fc.property(bytes, bytes, time, time, (before, after, from, until) => {
      const parts = partsBetween('left', { bytes: before, at: from }, { bytes: after, at: until })
      if (until <= from) {
        expect(parts).toEqual([])
        return
      }
      const used = parts.reduce((sum, part) => sum + part.usedBytes, 0n)
      expect(used).toBe(before > after ? before - after : 0n)
      expect(parts[0]?.from).toEqual(from)
      expect(parts.at(-1)?.until).toEqual(until)
      for (const [index, part] of parts.entries()) {
        expect(part.usedBytes >= 0n && part.from < part.until).toBe(true)
        expect(part.day).toBe(part.from.toISOString().slice(0, 10))
        expect(new Date(part.until.getTime() - 1).toISOString().slice(0, 10)).toBe(part.day)
        if (index > 0) expect(part.from).toEqual(parts[index - 1]?.until)
      }
    }),
  )
})
