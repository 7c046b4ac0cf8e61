/** Times as letters, the bot and documents say them, in UTC: the time zone of the reader is not known there. */
import type { Language } from './language.ts'

const tags = { ru: 'ru-RU', en: 'en-GB' } as const

/** "17 мая 2026 г. в 12:00 UTC", "17 May 2026 at 12:00 UTC". */
export const momentIn = (at: Date | string, language: Language): string =>
  `${new Intl.DateTimeFormat(tags[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  }).format(new Date(at))} UTC`

/** "23 ноября 2026 г.", "23 November 2026"; of a day YYYY-MM-DD. */
export const longDayIn = (day: string, language: Language): string =>
  new Intl.DateTimeFormat(tags[language], { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day))
