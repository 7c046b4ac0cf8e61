import type { Usage } from './usage.ts'

/** A period as CSV (RFC 4180): exact bytes, one row per day, oldest first. */
export function usageCsv(usage: Usage): string {
  const rows = usage.days.map((day) =>
    [day.date, day.bytes - day.bonusBytes, day.bonusBytes, day.bytes, day.requests].join(','),
  )
  return ['date_utc,paid_bytes,bonus_bytes,total_bytes,requests', ...rows, ''].join('\r\n')
}
