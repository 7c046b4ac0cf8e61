/** The whitelist of a pool: addresses from which lines work without a password. */
import { InlineKeyboard } from 'grammy'
import type { Pool } from '#contract/wire'
import { type Answer, poolIn, type Route, stale } from '../base/route.ts'
import { marked } from '../base/mark.ts'
import { backToMenu, type Screen } from '../base/screens.ts'
import type { Visit } from '../base/visit.ts'
import { choosePool } from './pools.ts'
import { accountWords } from './words.ts'

/** More do not fit into a keyboard that customers read; the site shows all. */
const mostShown = 40

async function list({ account, call, words, language }: Visit, pool: Pool): Promise<Screen> {
  const say = accountWords[language]
  const { entries } = await call('get_whitelist_entries', { pool })
  const keyboard = new InlineKeyboard()
  for (const [index, { ip }] of entries.slice(0, mostShown).entries()) {
    keyboard.text(say.remove(ip), marked(`wl-:${pool}:${ip}`, account.id))
    if (index % 2 === 1) keyboard.row()
  }
  keyboard.row().text(say.addAddress, `wl+:${pool}`).row()
  const name = words.pools[pool]
  return {
    text: entries.length === 0 ? say.noAddresses(name) : say.addresses(name, entries.length),
    keyboard: keyboard.append(backToMenu(words)),
  }
}

export const whitelistRoutes: readonly Route[] = [
  { data: /^wl$/, show: (visit) => choosePool(visit, 'wl', (pool) => list(visit, pool)) },
  {
    data: /^wl:(\w{1,32})$/,
    show: async (visit, [name]) => {
      const pool = poolIn(name)
      return pool === null ? stale(visit) : list(visit, pool)
    },
  },
  {
    data: /^wl-:(\w{1,32}):([\d.]{7,15})$/,
    acts: true,
    show: async (visit, [name, ip = '']) => {
      const pool = poolIn(name)
      if (pool === null) return stale(visit)
      await visit.call('remove_ip_from_whitelist', { pool, ip })
      return list(visit, pool)
    },
  },
  {
    data: /^wl\+:(\w{1,32})$/,
    show: async (visit, [name], { ask }) => {
      const pool = poolIn(name)
      if (pool === null) return stale(visit)
      const { words, language } = visit
      await ask(`wl+:${pool}`)
      const say = accountWords[language]
      const keyboard = new InlineKeyboard().text(say.back, `wl:${pool}`)
      return { text: say.askAddress(words.pools[pool]), keyboard }
    },
  },
]

export const whitelistAnswers: readonly Answer[] = [
  {
    question: /^wl\+:(\w{1,32})$/,
    take: async (visit, [name], { text }) => {
      const pool = poolIn(name)
      if (pool === null || !/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null
      await visit.call('add_ip_to_whitelist', { pool, ip: text })
      return list(visit, pool)
    },
  },
]
