/** Proxy users of a pool: listed, made, frozen, and given new passwords, which are shown once. */
import { InlineKeyboard } from 'grammy'
import type { Output } from '#contract/contract'
import { longestLabel } from '#contract/users/rules'
import type { Pool } from '#contract/wire'
import { Refusal } from '#lib/refusal'
import { acknowledge } from '../base/api.ts'
import { type Answer, type Asking, poolIn, type Route, stale } from '../base/route.ts'
import { backToMenu, type Screen, trafficIn } from '../base/screens.ts'
import { escapeHtml } from '../base/texts.ts'
import type { Visit } from '../base/visit.ts'
import { choosePool } from './pools.ts'
import { accountWords } from './words.ts'

type User = Output<'create_proxy_user'>

/** More do not fit into a keyboard; the site shows all. */
const mostShown = 40

async function list({ call, words, language }: Visit, pool: Pool): Promise<Screen> {
  const say = accountWords[language]
  const { users, most } = await call('get_proxy_users', { pool })
  const keyboard = new InlineKeyboard()
  for (const { number, label, frozen } of users.slice(0, mostShown))
    keyboard.text(frozen ? `❄ ${label}` : label, `pu:${pool}:${number}`).row()
  keyboard.text(say.newUser, `pu+:${pool}`).row()
  return {
    text: say.userList(words.pools[pool], users.length, most),
    keyboard: keyboard.append(backToMenu(words)),
  }
}

/** Another customer's user is not among one's own. */
async function found({ call }: Visit, pool: Pool, number: number): Promise<User> {
  const { users } = await call('get_proxy_users', { pool })
  const user = users.find((one) => one.number === number)
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

function show({ words, language }: Visit, pool: Pool, user: User): Screen {
  const say = accountWords[language]
  const { number, label, login, frozen, used, total_bytes: total } = user
  const keyboard = new InlineKeyboard()
    .text(frozen ? say.unfreeze : say.freeze, `puf:${pool}:${number}:${frozen ? 'off' : 'on'}`)
    .text(say.renew, `pur:${pool}:${number}`)
    .row()
    .text(say.back, `pu:${pool}`)
    .append(backToMenu(words))
  const text = say.user({
    label: escapeHtml(label),
    login: escapeHtml(login),
    frozen,
    used: trafficIn(language, BigInt(used.total_bytes)),
    limit: total === null ? null : trafficIn(language, BigInt(total)),
  })
  return { text, keyboard }
}

/** The password, in a message that is deleted by its button. */
function passwordScreen({ language }: Visit, { label, login, password }: User): Screen {
  const say = accountWords[language]
  const facts = { label: escapeHtml(label), login: escapeHtml(login), password: escapeHtml(password ?? '') }
  return { text: say.password(facts), keyboard: new InlineKeyboard().text(say.deleteMessage, 'delete') }
}

const userForm = '(\\w{1,32}):(\\d{1,7})'

/** The route of one user of a pool. */
const ofUser = (
  prefix: string,
  act: (visit: Visit, at: { pool: Pool; number: number }, rest: string) => Promise<Screen>,
  rest = '',
): Route => ({
  data: new RegExp(`^${prefix}:${userForm}${rest}$`),
  show: async (visit, [name, number, more = '']) => {
    const pool = poolIn(name)
    return pool === null ? stale(visit) : act(visit, { pool, number: Number(number) }, more)
  },
})

const ofPool = (
  prefix: string,
  act: (visit: Visit, pool: Pool, asking: Asking) => Promise<Screen>,
): Route => ({
  data: new RegExp(`^${prefix}:(\\w{1,32})$`),
  show: async (visit, [name], asking) => {
    const pool = poolIn(name)
    return pool === null ? stale(visit) : act(visit, pool, asking)
  },
})

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
  ofUser('pu', async (visit, { pool, number }) => show(visit, pool, await found(visit, pool, number))),
  ofUser(
    'puf',
    async (visit, at, state) =>
      show(visit, at.pool, await visit.call('freeze_proxy_user', { ...at, frozen: state === 'on' })),
    ':(on|off)',
  ),
  ofUser('pur', async (visit, { pool, number }) => {
    const say = accountWords[visit.language]
    const { label } = await found(visit, pool, number)
    return {
      text: say.confirmRenew(escapeHtml(label)),
      keyboard: new InlineKeyboard()
        .text(say.yesRenew, `pur!:${pool}:${number}`)
        .text(say.back, `pu:${pool}:${number}`),
    }
  }),
  ofUser('pur!', async (visit, at) =>
    passwordScreen(visit, await visit.call('renew_proxy_user_password', at)),
  ),
  {
    data: /^delete$/,
    show: async (_visit, _parts, { ctx }) => {
      await acknowledge(ctx)
      await ctx.deleteMessage()
      return null
    },
  },
]

export const userAnswers: readonly Answer[] = [
  {
    question: /^pu\+:(\w{1,32})$/,
    take: async (visit, [name], { text }) => {
      const pool = poolIn(name)
      if (pool === null || text.length > longestLabel || !/^[^\p{Cc}]+$/u.test(text)) return null
      return passwordScreen(visit, await visit.call('create_proxy_user', { pool, label: text }))
    },
  },
]
