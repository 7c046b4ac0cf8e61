/** The monthly notice of a bill, as letters and the bot say it. */
import type { Language } from '../language.ts'
import type { Pool } from '../pools.ts'

/** "октябрь 2026" or "October 2026"; `month` is its first day, YYYY-MM-DD. */
export const monthIn = (month: string, language: Language): string => {
  const format = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
  return `${format.format(new Date(month))} ${month.slice(0, 4)}`
}

/** The charges by pool, as the notice states them: "mobile 90,residential 1200". */
export const chargedFromText = (text: string): { pool: Pool; bytes: bigint }[] =>
  text.split(',').flatMap((part) => {
    const [pool, bytes] = part.split(' ')
    return bytes === undefined ? [] : [{ pool: pool as Pool, bytes: BigInt(bytes) }]
  })
