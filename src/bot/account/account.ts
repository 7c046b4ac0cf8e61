/** The account in the chat: invoices, the whitelist, limits and proxy users. */
import { InlineKeyboard } from 'grammy'
import type { Answer, Route } from '../base/route.ts'
import { backToMenu, type Screen } from '../base/screens.ts'
import type { Visit } from '../base/visit.ts'
import { capAnswers, capRoutes } from './caps.ts'
import { invoiceRoutes, invoicesScreen } from './invoices.ts'
import { userAnswers, userRoutes } from './users.ts'
import { whitelistAnswers, whitelistRoutes } from './whitelist.ts'
import { accountWords } from './words.ts'

export { raiseData } from './caps.ts'
export { invoicesScreen }

export async function accountScreen({ words, language }: Visit): Promise<Screen> {
  const say = accountWords[language]
  const keyboard = new InlineKeyboard()
    .text(say.invoices, 'invs')
    .text(say.whitelist, 'wl')
    .row()
    .text(say.limits, 'caps')
    .text(say.users, 'pu')
    .row()
  return { text: say.heading, keyboard: keyboard.append(backToMenu(words)) }
}

export const accountRoutes: readonly Route[] = [
  ...invoiceRoutes,
  ...whitelistRoutes,
  ...capRoutes,
  ...userRoutes,
]
export const accountAnswers: readonly Answer[] = [...whitelistAnswers, ...capAnswers, ...userAnswers]
