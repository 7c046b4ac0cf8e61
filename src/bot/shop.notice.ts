/** The shop's notice to all customers, above the bot's answers. */
import { currentNotice } from '#content'
import type { BotDeps } from './base/deps.ts'
import type { Screen } from './base/screens.ts'
import { longestText } from './base/show.ts'
import { escapeHtml } from './base/texts.ts'
import type { Visit } from './base/visit.ts'

/** The screen below the notice that is shown now. A screen with a file, or without room, stays as it is. */
export async function belowNotice(deps: BotDeps, person: Visit, screen: Screen): Promise<Screen> {
  if (screen.file !== undefined) return screen
  const { language } = person
  const notice = await deps.database.read((db) => currentNotice(db, language, deps.now()))
  if (notice === null) return screen
  const text = `<blockquote>${escapeHtml(notice)}</blockquote>\n${screen.text}`
  return text.length > longestText ? screen : { ...screen, text }
}
