import { useSession } from '../state/session.ts'

/** The day (YYYY-MM-DD) of a time, in the time zone of the shop. */
export const dayOf = (timeZone: string, time: number | string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    new Date(time),
  )

const dayMs = 86_400_000

/** Adds days, or subtracts them; returns text that is not a calendar day unchanged. */
export function addDays(day: string, days: number): string {
  const time = new Date(Date.parse(day) + days * dayMs)
  return Number.isNaN(time.getTime()) ? day : time.toISOString().slice(0, 10)
}

/** The days of the shop, in which reports and lists count. */
export function useShopDays() {
  const { time_zone: zone } = useSession()
  return { zone, dayOf: (time: number | string) => dayOf(zone, time) }
}
