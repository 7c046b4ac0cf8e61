/**
 * The generator of many lines: buttons for how long addresses are kept, count and format. Few lines are sent
 * as a message, many as a file.
 */
import { InlineKeyboard } from 'grammy'
import { credentialFormats, type ProxyFormat } from '#contract/proxy-lines'
import { defaultSessionMinutes } from '#contract/session-times'
import { builtInProvider, type Pool } from '#contract/wire'
import { generatorWords } from './generator.words.ts'
import { anyCountry, linesOf, nameOf } from './lines.ts'
import { type Answer, poolIn, type Route, stale } from './base/route.ts'
import { backToMenu, type Screen } from './base/screens.ts'
import { longestText } from './base/show.ts'
import { escapeHtml } from './base/texts.ts'
import type { Visit } from './base/visit.ts'

interface Wish {
  pool: Pool
  /** A code, or `any`. */
  country: string
  /** Null: a new address for each connection. */
  minutes: number | null
  count: number
  format: ProxyFormat
}

/** Formats without credentials are left out: for them whitelisted addresses are needed. */
const formats: readonly ProxyFormat[] = credentialFormats
const counts = [1, 10, 100, 1000] as const
const sessions = [defaultSessionMinutes, 30, 60, 360]
/** Up to this number, lines are sent as text; more are sent as a file. */
const mostAsText = 10

const dataOf = (verb: 'gen' | 'get', { pool, country, minutes, count, format }: Wish) =>
  `${verb}:${pool}:${country}:${minutes ?? 'r'}:${count}:${formats.indexOf(format)}`

const wishForm = '(\\w{1,32}):(any|[a-z0-9]{2}):(r|\\d{1,5}):(\\d{1,4}):(\\d)'

function wishOf([name, country = '', session = '', count = '', format = '']: string[]): Wish | null {
  const pool = poolIn(name)
  const known = counts.find((one) => one === Number(count))
  const minutes = session === 'r' ? null : (sessions.find((one) => one === Number(session)) ?? 0)
  const chosenFormat = formats[Number(format)]
  if (pool === null || known === undefined || minutes === 0 || chosenFormat === undefined) return null
  return { pool, country, minutes, count: known, format: chosenFormat }
}

const chosen = (isChosen: boolean, label: string) => (isChosen ? `✓ ${label}` : label)

async function options(visit: Visit, wish: Wish): Promise<Screen> {
  const { words, language } = visit
  const say = generatorWords[language]
  const { pool, country, minutes, count, format } = wish
  const keyboard = new InlineKeyboard()
  const choice = (isChosen: boolean, label: string, change: Partial<Wish>) =>
    keyboard.text(chosen(isChosen, label), dataOf('gen', { ...wish, ...change }))
  choice(minutes === null, say.rotating, { minutes: null })
  for (const one of sessions) choice(minutes === one, say.sticky(one), { minutes: one })
  keyboard.row()
  for (const one of counts) choice(count === one, String(one), { count: one })
  keyboard.row()
  for (const one of formats) choice(format === one, one, { format: one }).row()
  keyboard.text(say.get(count), dataOf('get', wish)).row()
  return {
    text: say.options({
      pool: words.pools[pool],
      country: country === anyCountry ? words.anywhere : escapeHtml(await nameOf(visit, pool, country)),
      minutes,
      count,
      format,
    }),
    keyboard: keyboard.append(backToMenu(words)),
  }
}

async function lines(visit: Visit, { pool, country, minutes, count, format }: Wish): Promise<Screen> {
  const { words, language } = visit
  const { text, charged } = await linesOf(visit, {
    pool,
    country: country === anyCountry ? null : country,
    minutes,
    count,
    format,
  })
  const say = generatorWords[language]
  const about = `${say.lines(count)} ${charged}`
  const asText = `${about}\n\n<pre>${escapeHtml(text)}</pre>`
  const keyboard = backToMenu(words)
  if (count <= mostAsText && asText.length <= longestText) return { text: asText, keyboard }
  const name = `${pool}-${country}-${count}.txt`
  return {
    text: about,
    keyboard,
    file: { kind: 'document', name, bytes: Buffer.from(`${text}\n`) },
  }
}

/** The maximum number of countries shown as a result of a search. */
const mostFound = 12

/** The countries of a pool whose name contains the text, or whose code it is. */
async function search({ call, words, language }: Visit, pool: Pool, text: string): Promise<Screen | null> {
  const wanted = text.toLowerCase()
  const all = await call('proxy_countries', { provider: builtInProvider, pool })
  const found = all.filter(
    ({ code, name }) => code === wanted || (wanted.length > 1 && name.toLowerCase().includes(wanted)),
  )
  if (found.length === 0) return null
  const keyboard = new InlineKeyboard()
  for (const { code, name } of found.slice(0, mostFound)) keyboard.text(name, `line:${pool}:${code}:r`).row()
  return {
    text: generatorWords[language].found(words.pools[pool]),
    keyboard: keyboard.append(backToMenu(words)),
  }
}

export const generatorRoutes: readonly Route[] = [
  {
    data: new RegExp(`^gen:${wishForm}$`),
    show: async (visit, parts) => {
      const wish = wishOf(parts)
      return wish === null ? stale(visit) : options(visit, wish)
    },
  },
  {
    data: new RegExp(`^get:${wishForm}$`),
    show: async (visit, parts) => {
      const wish = wishOf(parts)
      return wish === null ? stale(visit) : lines(visit, wish)
    },
  },
  {
    data: /^find:(\w{1,32})$/,
    show: async (visit, [name], { ask }) => {
      const pool = poolIn(name)
      if (pool === null) return stale(visit)
      await ask(`find:${pool}`)
      const { words, language } = visit
      return { text: generatorWords[language].askCountry(words.pools[pool]), keyboard: backToMenu(words) }
    },
  },
]

export const generatorAnswers: readonly Answer[] = [
  {
    question: /^find:(\w{1,32})$/,
    take: async (visit, [name], { text, ask }) => {
      const pool = poolIn(name)
      if (pool === null) return null
      const screen = await search(visit, pool, text.slice(0, 60))
      if (screen !== null) return screen
      await ask(`find:${pool}`)
      return { text: generatorWords[visit.language].nothingFound, keyboard: backToMenu(visit.words) }
    },
  },
]
