/**
 * The screen of one proxy user of a pool: its usage and limits, its term, and buttons for the possible
 * actions.
 */
import { InlineKeyboard } from 'grammy'
import { userState } from '#contract/proxy-users/rules'
import type { Pool } from '#contract/wire'
import { minuteInUtc } from '#lib/zone'
import { marked } from '../base/mark.ts'
import { backToMenu, type Screen, trafficIn } from '../base/screens.ts'
import { escapeHtml } from '../base/texts.ts'
import type { Visit } from '../base/visit.ts'
import type { User } from './user.routes.ts'
import { userWords } from './users.words.ts'
import { accountWords } from './words.ts'

export const userWindows = ['total', 'day', 'month'] as const

export function userScreen({ account, words, language }: Visit, pool: Pool, user: User, now: Date): Screen {
  const [common, say] = [accountWords[language], userWords[language]]
  const { number, label, login, frozen, used, expires_at: expires } = user
  const keyboard = new InlineKeyboard()
    .text(
      frozen ? common.unfreeze : common.freeze,
      marked(`puf:${pool}:${number}:${frozen ? 'off' : 'on'}`, account.id),
    )
    .text(common.renew, `pur:${pool}:${number}`)
    .row()
    .text(say.limits, `pul:${pool}:${number}`)
    .text(say.expiry, `pue:${pool}:${number}`)
    .row()
    .text(say.usage, `puu:${pool}:${number}`)
    .text(say.remove, `pud:${pool}:${number}`)
    .row()
    .text(common.back, `pu:${pool}`)
    .append(backToMenu(words))
  const lines = userWindows
    // The day and the month are shown only with a limit; otherwise the total is enough.
    .filter((window) => window === 'total' || user[`${window}_bytes`] !== null)
    .map((window) => {
      const limit = user[`${window}_bytes`]
      const bytes = trafficIn(language, BigInt(used[`${window}_bytes`]))
      return say.used[window](bytes, limit === null ? null : trafficIn(language, BigInt(limit)))
    })
  const state = userState(user, now.getTime())
  const text = say.user({
    label: escapeHtml(label),
    login: escapeHtml(login),
    state: state === 'active' ? null : say.state[state],
    used: lines,
    expires: expires === null ? null : minuteInUtc(expires),
  })
  return { text, keyboard }
}
