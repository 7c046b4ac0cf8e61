/** The shop's notice to all customers: at the top of the pages, and in the bot. */
import type { Kysely } from 'kysely'
import { periodState } from '#contract/content/period'
import type { Content } from '#contract/desk/content'
import type { Language } from '#contract/language'
import type { DB } from '#db'
import { readPart } from './versions.ts'

/** Open pages learn of a notice this long before it begins: the server may not answer any more by then. */
const aheadMs = 86_400_000

/** The notice in a language, unless it is over, or begins later than in a day. */
export function noticeOf({ notice }: Pick<Content, 'notice'>, language: Language, now: Date) {
  const { [language]: text, starts_at, ends_at } = notice
  const period = { starts_at, ends_at }
  const nowMs = now.getTime()
  const state = periodState(period, nowMs)
  if (text === null || state === 'over') return null
  if (starts_at !== null && Date.parse(starts_at) - nowMs > aheadMs) return null
  return { text, shown: state === 'shown', ...period }
}

/** The text of the notice that is shown now; null: none is. */
export async function currentNotice(db: Kysely<DB>, language: Language, now: Date): Promise<string | null> {
  const found = noticeOf({ notice: await readPart(db, 'notice') }, language, now)
  return found?.shown === true ? found.text : null
}
