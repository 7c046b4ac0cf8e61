import type { Language } from '#contract/language'

const toTheMinute = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const

const localeOf = (language: Language) => (language === 'ru' ? 'ru-RU' : 'en-US')

/** A time to the minute, in the time zone of the browser. */
export function formatDateTime(iso: string, language: Language): string {
  return new Date(iso).toLocaleString(localeOf(language), { ...toTheMinute, year: 'numeric' })
}

/** A time to the minute in UTC, with the name of the zone: the text is the same for every reader. */
export function formatUtc(iso: string, language: Language): string {
  const time = new Date(iso).toLocaleString(localeOf(language), {
    ...toTheMinute,
    year: 'numeric',
    timeZone: 'UTC',
  })
  return `${time} UTC`
}

/** A day, written YYYY-MM-DD. */
export function formatDay(day: string, language: Language): string {
  return new Date(day).toLocaleDateString(localeOf(language), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/** A recent time to the minute, in the time zone of the browser, without the year. */
export function formatRecentTime(iso: string, language: Language): string {
  return new Date(iso).toLocaleString(localeOf(language), toTheMinute)
}

/** A recent time to the second, in the time zone of the browser, without the year. */
export function formatExactTime(iso: string, language: Language): string {
  return new Date(iso).toLocaleString(localeOf(language), { ...toTheMinute, second: '2-digit' })
}

/** The options that format a whole hour: 1 PM, 13:00. */
export const hourOf = (language: Language): Intl.DateTimeFormatOptions =>
  language === 'en' ? { hour: 'numeric' } : { hour: '2-digit', minute: '2-digit' }
