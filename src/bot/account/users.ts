/** Proxy users of a pool: listed, made, frozen, deleted, and given new passwords, which are shown once. */
import { GrammyError, InlineKeyboard } from 'grammy'
import { longestLabel } from '#contract/proxy-users/rules'
import type { Pool } from '#contract/wire'
import { acknowledge } from '../base/api.ts'
import { marked } from '../base/mark.ts'
import { acting, type Answer, poolIn, type Route } from '../base/route.ts'
import { backToMenu, type Screen } from '../base/screens.ts'
import { escapeHtml } from '../base/texts.ts'
import type { Visit } from '../base/visit.ts'
import { choosePool } from './pools.ts'
import { userLimitAnswers, userLimitRoutes } from './user.limits.ts'
import { found, ofPool, ofUser, type User } from './user.routes.ts'
import { userScreen } from './user.screen.ts'
import { accountWords } from './words.ts'

/** More do not fit into a keyboard; the site shows all. */
const mostShown = 40

async function list({ call, words, language }: Visit, pool: Pool): Promise<Screen> {
  const say = accountWords[language]
  const { users, count, most } = await call('get_proxy_users', {
    pool,
    after: 0,
    limit: mostShown,
    passwords: false,
  })
  const keyboard = new InlineKeyboard()
  for (const { number, label, frozen } of users)
    keyboard.text(frozen ? `❄ ${label}` : label, `pu:${pool}:${number}`).row()
  keyboard.text(say.newUser, `pu+:${pool}`).row()
  return {
    text: say.userList(words.pools[pool], count, most),
    keyboard: keyboard.append(backToMenu(words)),
  }
}

/** Shows the password in a message with a button that deletes the message. */
function passwordScreen({ language }: Visit, { label, login, password }: User): Screen {
  const say = accountWords[language]
  const facts = { label: escapeHtml(label), login: escapeHtml(login), password: escapeHtml(password ?? '') }
  return { text: say.password(facts), keyboard: new InlineKeyboard().text(say.deleteMessage, 'delete') }
}

export const userRoutes: readonly Route[] = [
  { data: /^pu$/, show: (visit) => choosePool(visit, 'pu', (pool) => list(visit, pool)) },
  ofPool('pu', (visit, pool) => list(visit, pool)),
  ofPool('pu\\+', async (visit, pool, { ask }) => {
    await ask(`pu+:${pool}`)
    const say = accountWords[visit.language]
    return {
      text: say.askLabel(visit.words.pools[pool]),
      keyboard: new InlineKeyboard().text(say.back, `pu:${pool}`),
    }
  }),
  ofUser('pu', async (visit, at, _, { deps }) =>
    userScreen(visit, at.pool, await found(visit, at), deps.now()),
  ),
  acting(
    ofUser(
      'puf',
      async (visit, at, [state], { deps }) => {
        const user = await visit.call('freeze_proxy_user', { ...at, frozen: state === 'on' })
        return userScreen(visit, at.pool, user, deps.now())
      },
      ':(on|off)',
    ),
  ),
  ofUser('pur', async (visit, at) => {
    const { pool, number } = at
    const say = accountWords[visit.language]
    const { label } = await found(visit, at)
    return {
      text: say.confirmRenew(escapeHtml(label)),
      keyboard: new InlineKeyboard()
        .text(say.yesRenew, marked(`pur!:${pool}:${number}`, visit.account.id))
        .text(say.back, `pu:${pool}:${number}`),
    }
  }),
  acting(
    ofUser('pur!', async (visit, at) =>
      passwordScreen(visit, await visit.call('renew_proxy_user_password', at)),
    ),
  ),
  acting(
    ofUser('pud!', async (visit, at) => {
      await visit.call('delete_proxy_user', at)
      return list(visit, at.pool)
    }),
  ),
  ...userLimitRoutes,
  {
    data: /^delete$/,
    show: async ({ words, language }, _parts, { ctx }) => {
      await acknowledge(ctx)
      try {
        await ctx.deleteMessage()
      } catch (error) {
        if (!(error instanceof GrammyError) || error.error_code !== 400) throw error
        // Telegram deletes no message after 48 hours, but lets a bot edit its own for ever.
        const below = { reply_markup: backToMenu(words) }
        await ctx.editMessageText(accountWords[language].passwordRemoved, below)
      }
      return null
    },
  },
]

export const userAnswers: readonly Answer[] = [
  ...userLimitAnswers,
  {
    question: /^pu\+:(\w{1,32})$/,
    take: async (visit, [name], { text }) => {
      const pool = poolIn(name)
      if (pool === null || text.length > longestLabel || !/^[^\p{Cc}]+$/u.test(text)) return null
      return passwordScreen(visit, await visit.call('create_proxy_user', { pool, label: text }))
    },
  },
]
