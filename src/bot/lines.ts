/** The bot's small generator: a pool, a country, one line ready to be copied. */
import { InlineKeyboard } from 'grammy'
import { builtInProvider, type Pool, pools } from '#contract/wire'
import { credentialFormats, type ProxyFormat } from '#contract/proxy-lines'
import { defaultSessionMinutes } from '#contract/session-times'
import { generatorWords } from './generator.words.ts'
import { backToMenu, menu, type Screen, trafficIn, trafficOf } from './base/screens.ts'
import { escapeHtml } from './base/texts.ts'
import type { Visit } from './base/visit.ts'

const countriesAPage = 10
/** The format of single lines, which most programs take. */
const lineFormat = 'login:password@hostname:port'
/** Stands for "any country" in a button. */
export const anyCountry = 'any'

/** The pools to choose from: those with traffic left. */
export async function poolsScreen(visit: Visit): Promise<Screen> {
  const { words } = visit
  const usable = [...(await trafficOf(visit))].filter(([, bytes]) => bytes > 0n).map(([pool]) => pool)
  const [first] = usable
  if (first === undefined) return menu(words, words.noTraffic)
  if (usable.length === 1) return countriesScreen(visit, first, 0)
  const keyboard = new InlineKeyboard()
  for (const pool of usable) keyboard.text(words.pools[pool], `lines:${pool}:0`).row()
  return { text: words.choosePool, keyboard: keyboard.append(backToMenu(words)) }
}

/** A page of the pool's countries, largest first. */
export async function countriesScreen(visit: Visit, pool: Pool, page: number): Promise<Screen> {
  const { words, call } = visit
  const countries = await call('proxy_countries', { provider: builtInProvider, pool })
  const shown = countries.slice(page * countriesAPage, (page + 1) * countriesAPage)
  const keyboard = new InlineKeyboard().text(words.button.anyCountry, `line:${pool}:${anyCountry}:r`).row()
  for (const [index, { code, name }] of shown.entries()) {
    keyboard.text(name, `line:${pool}:${code}:r`)
    if (index % 2 === 1) keyboard.row()
  }
  keyboard.row().text(generatorWords[visit.language].find, `find:${pool}`).row()
  if (page > 0) keyboard.text(words.button.back, `lines:${pool}:${page - 1}`)
  if (countries.length > (page + 1) * countriesAPage)
    keyboard.text(words.button.more, `lines:${pool}:${page + 1}`)
  return {
    text: words.chooseCountry(words.pools[pool]),
    keyboard: keyboard.row().text(words.button.otherPool, 'lines').text(words.button.menu, 'menu'),
  }
}

export interface LineWish {
  pool: Pool
  /** Null: any. */
  country: string | null
  sticky: boolean
}

export async function lineScreen(visit: Visit, { pool, country, sticky }: LineWish): Promise<Screen> {
  const { words, language } = visit
  const { text: line, charged } = await linesOf(visit, {
    pool,
    country,
    minutes: sticky ? 0 : null,
    count: 1,
    format: lineFormat,
  })
  const again = `line:${pool}:${country ?? anyCountry}:s`
  const keyboard = new InlineKeyboard()
    .text(sticky ? words.button.oneMore : words.button.sticky, again)
    .row()
    .text(
      generatorWords[language].more,
      `gen:${pool}:${country ?? anyCountry}:r:10:${credentialFormats.indexOf(lineFormat)}`,
    )
    .row()
    .text(words.button.otherCountry, `lines:${pool}:0`)
    .text(words.button.menu, 'menu')
  const text = words.line({
    line: escapeHtml(line),
    pool: words.pools[pool],
    country: country === null ? words.anywhere : escapeHtml(await nameOf(visit, pool, country)),
    minutes: sticky ? defaultSessionMinutes : null,
  })
  return { text: `${text}\n\n${charged}`, keyboard }
}

export async function nameOf({ call }: Visit, pool: Pool, code: string): Promise<string> {
  const countries = await call('proxy_countries', { provider: builtInProvider, pool })
  return countries.find((country) => country.code === code)?.name ?? code.toUpperCase()
}

/** Parses `lines:<pool>:<page>`; null for any other text. */
export function readPage(data: string): { pool: Pool; page: number } | null {
  const [, name = '', page = ''] = /^lines:(\w+):(\d{1,3})$/.exec(data) ?? []
  const pool = pools.find((known) => known === name)
  return pool === undefined ? null : { pool, page: Number(page) }
}

/** Parses `line:<pool>:<country>:<r|s>`; null for any other text. */
export function readWish(data: string): LineWish | null {
  const [, name = '', country = '', kind = ''] = /^line:(\w+):(any|[a-z0-9]{2}):([rs])$/.exec(data) ?? []
  const pool = pools.find((known) => known === name)
  return pool === undefined
    ? null
    : { pool, country: country === anyCountry ? null : country, sticky: kind === 's' }
}

export interface ManyLines {
  pool: Pool
  /** Null: any. */
  country: string | null
  /** How long an address is kept; 0: as long as the site's default; null: not at all. */
  minutes: number | null
  count: number
  format: ProxyFormat
}

interface ChargedLines {
  text: string
  /** States how many times each byte is charged, and the payload that the remaining traffic is worth. */
  charged: string
}

/** Lines, as the generator of the site makes them. */
export async function linesOf(
  { call, language }: Visit,
  { pool, country, minutes, count, format }: ManyLines,
): Promise<ChargedLines> {
  const headers = new Map<string, string>()
  const text = await call(
    'get_proxy',
    {
      anonymous: 'true',
      type: minutes === null ? 'rotating' : 'sticky',
      protocol: 'http',
      format,
      quantity: count,
      sessionttl: minutes ?? 0,
      pool,
      countries: country === null ? null : [country],
      states: null,
      cities: null,
      zipcodes: null,
      included_asns: null,
      excluded_asns: null,
      region: null,
    },
    { setHeader: (name, value) => void headers.set(name, value) },
  )
  const payload = trafficIn(language, BigInt(headers.get('x-payload-bytes') ?? 0))
  const multiplier = headers.get('x-traffic-multiplier') ?? ''
  return { text, charged: generatorWords[language].charged({ multiplier, payload }) }
}
