/**
 * Quiet hours and the time of the daily message, by the clocks of the shop's zone: rules without a database.
 */
import { addDays, dayIn, localTime, offsetMs } from '#lib/zone'

/** From and until, in minutes after midnight, never the same; `until` may be on the next day. */
export interface QuietHours {
  from: number
  until: number
}

const minuteMs = 60_000
const minuteOf = (zone: string, at: Date) => {
  const local = localTime(zone, at)
  return local.getUTCHours() * 60 + local.getUTCMinutes()
}

/** Whether the clocks show a time of the quiet hours; null: there are none. */
export function isQuiet(quiet: QuietHours | null, zone: string, at: Date): boolean {
  if (quiet === null) return false
  const minute = minuteOf(zone, at)
  const { from, until } = quiet
  return from < until ? minute >= from && minute < until : minute >= from || minute < until
}

/**
 * When the clocks reach a time of a day. Of a time that they show twice it is the first; where they skip it,
 * the time at which they would have shown it.
 */
export function clockTime(zone: string, day: string, minute: number): Date {
  const asUtc = Date.parse(day) + minute * minuteMs
  const offsets = [-1, 1].map((days) => offsetMs(zone, new Date(asUtc + days * 86_400_000)))
  const candidates = offsets
    .map((offset) => new Date(asUtc - offset))
    .toSorted((a, b) => a.getTime() - b.getTime())
  const shown = candidates.find((at) => dayIn(zone, at) === day && minuteOf(zone, at) === minute)
  return shown ?? candidates.at(-1) ?? new Date(asUtc)
}

/** A daily message that is later than this is skipped. */
const lateMs = 6 * 60 * minuteMs

/**
 * The day whose message is due: its time has come recently and it was not sent; null: none.
 */
export function digestDue(
  { minute, sentDay }: { minute: number | null; sentDay: string | null },
  zone: string,
  now: Date,
): string | null {
  if (minute === null) return null
  const today = dayIn(zone, now)
  for (const day of [today, addDays(today, -1)]) {
    const at = clockTime(zone, day, minute)
    if (at > now) continue
    const isLate = now.getTime() - at.getTime() > lateMs
    return isLate || (sentDay !== null && sentDay >= day) ? null : day
  }
  return null
}
