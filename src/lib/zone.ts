/**
 * Days of a time zone of the IANA database, as Node.js knows it. A day is written YYYY-MM-DD. Hours are those
 * of UTC.
 */

const hourMs = 3_600_000

/** When the hour of a time began. */
export const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs)

/**
 * "2026-11-20 12:00 UTC": a minute as refusals, letters and the bot say it, in any language; the seconds are
 * cut off.
 */
export const minuteInUtc = (at: Date | string): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const digits = {
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    ...digits,
  })
  formats.set(zone, format)
  return format
}

/** The canonical name of the zone, such as Europe/Moscow; null: no zone has this name. */
export function readZone(name: string): string | null {
  try {
    return formatOf(name).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** By how many milliseconds the clocks of the zone are ahead of UTC at this time. */
export function offsetMs(zone: string, at: Date): number {
  if (zone === 'UTC') return 0
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at.getTime() / 1000) * 1000
}

/** The time that the clocks of the zone show, as if it were UTC. */
export const localTime = (zone: string, at: Date): Date => new Date(at.getTime() + offsetMs(zone, at))

/** The day in the zone at this time. */
export const dayIn = (zone: string, at: Date): string => localTime(zone, at).toISOString().slice(0, 10)

const dayMs = 86_400_000

/** The day this many days later; negative: earlier. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/**
 * When a day begins in the zone. Where the clocks skip midnight, that is the first time after midnight; for a
 * day that the zone skipped as a whole, it is the time at which the next day began.
 */
export function startOfDay(zone: string, day: string): Date {
  const midnight = Date.parse(day)
  // The offset at midnight is the one of the day before, of the day, or of the day after it.
  const offsets = [-dayMs, 0, dayMs].map((away) => offsetMs(zone, new Date(midnight + away)))
  const begins = [...new Set(offsets)].map((offset) => midnight - offset).toSorted((a, b) => a - b)
  const isStart = (time: number) =>
    dayIn(zone, new Date(time)) >= day && dayIn(zone, new Date(time - 1)) < day
  return new Date(begins.find(isStart) ?? begins[0] ?? midnight)
}

/**
 * All days from `from` to `until`, both included, with the times at which they begin; the last time is the
 * end of the last day.
 */
export function daysBetween(zone: string, from: string, until: string): { days: string[]; starts: Date[] } {
  const count = Math.round((Date.parse(until) - Date.parse(from)) / dayMs) + 1
  const days = Array.from({ length: Math.max(count, 0) }, (_, index) => addDays(from, index))
  return { days, starts: [...days, addDays(until, 1)].map((day) => startOfDay(zone, day)) }
}
