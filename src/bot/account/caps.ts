/** Caps on the traffic of a pool: shown, set, removed, and raised for today. */
import { InlineKeyboard } from 'grammy'
import { bytesPerGb, type Pool } from '#contract/wire'
import { transaction } from '#db'
import { raiseDay, raisedDay } from '#limits'
import { findAccess } from '#proxies'
import { recallLeases } from '#traffic'
import type { BotDeps } from '../base/deps.ts'
import { marked } from '../base/mark.ts'
import { type Answer, poolIn, type Route, stale } from '../base/route.ts'
import { backToMenu, menu, type Screen, trafficIn } from '../base/screens.ts'
import type { Visit } from '../base/visit.ts'
import { bytesOf } from './amount.ts'
import { choosePool } from './pools.ts'
import { accountWords, type CapWindow } from './words.ts'

const windows = ['hour', 'day', 'month'] as const
const windowIn = (name: string | undefined): CapWindow | null =>
  windows.find((known) => known === name) ?? null

/** The caps offered as buttons, in GB. */
const usualCaps = [1, 5, 10, 50, 100] as const

const accessOf = (deps: BotDeps, { account }: Visit, pool: Pool) =>
  findAccess(deps.database.db, { accountId: account.id, pool })

async function list(deps: BotDeps, visit: Visit, pool: Pool): Promise<Screen> {
  const { account, call, words, language } = visit
  const say = accountWords[language]
  const limits = await call('get_pool_limits', { pool })
  const access = await accessOf(deps, visit, pool)
  const now = deps.now()
  const raised = access === null ? null : await raisedDay(deps.database.db, { accessId: access.id, now })
  const isRaised = raised !== null && raised !== BigInt(limits.day_bytes ?? 0)
  const lines = windows.map((window) => {
    const cap = limits[`${window}_bytes`]
    const used = trafficIn(language, BigInt(limits.used[`${window}_bytes`]))
    return say.cap(say.window[window], used, cap === null ? null : trafficIn(language, BigInt(cap)))
  })
  if (isRaised) lines.push(say.raised(trafficIn(language, raised)))
  const keyboard = new InlineKeyboard()
  for (const window of windows) keyboard.text(say.window[window], `cap:${pool}:${window}`)
  if (limits.day_bytes !== null && !isRaised) keyboard.row().text(say.raise, raiseData(pool, account.id, now))
  return {
    text: `${say.caps(words.pools[pool])}\n\n${lines.join('\n')}`,
    keyboard: keyboard.row().append(backToMenu(words)),
  }
}

/** The data of the button that raises the cap of a day; on another day it does nothing. */
export const raiseData = (pool: Pool, accountId: bigint, now: Date): string =>
  marked(`raise:${pool}:${now.toISOString().slice(0, 10)}`, accountId)

async function choices(visit: Visit, pool: Pool, window: CapWindow): Promise<Screen> {
  const say = accountWords[visit.language]
  const button = (value: string) => marked(`cap=:${pool}:${window}:${value}`, visit.account.id)
  const keyboard = new InlineKeyboard()
  for (const gb of usualCaps)
    keyboard.text(
      trafficIn(visit.language, BigInt(gb) * bytesPerGb).replace(/[.,]00/, ''),
      button(String(gb)),
    )
  keyboard.row().text(say.noCap, button('none'))
  return {
    text: say.askCap(say.window[window]),
    keyboard: keyboard.row().text(say.back, `caps:${pool}`),
  }
}

async function set(
  deps: BotDeps,
  visit: Visit,
  { pool, window, bytes }: { pool: Pool; window: CapWindow; bytes: number | null },
): Promise<Screen> {
  await visit.call('set_pool_limits', { pool, [`${window}_bytes`]: bytes })
  return list(deps, visit, pool)
}

/** Doubles today's cap, once, however often the button is pressed. */
async function raise(deps: BotDeps, visit: Visit, pool: Pool, day: string): Promise<Screen> {
  const { words, language } = visit
  const say = accountWords[language]
  const now = deps.now()
  const access = await accessOf(deps, visit, pool)
  if (access === null || day !== now.toISOString().slice(0, 10)) return menu(words, say.nothingToRaise)
  const cap = await transaction(deps.database.db, async (tx) => {
    const raised = await raiseDay(tx, access, now)
    await recallLeases(tx, access.id)
    return raised
  })
  if (cap === null) return menu(words, say.nothingToRaise)
  return menu(words, say.raisedNow(words.pools[pool], trafficIn(language, cap)))
}

export const capRoutes: readonly Route[] = [
  {
    data: /^caps$/,
    show: (visit, _, { deps }) => choosePool(visit, 'caps', (pool) => list(deps, visit, pool)),
  },
  {
    data: /^caps:(\w{1,32})$/,
    show: async (visit, [name], { deps }) => {
      const pool = poolIn(name)
      return pool === null ? stale(visit) : list(deps, visit, pool)
    },
  },
  {
    data: /^cap:(\w{1,32}):(\w{3,5})$/,
    show: async (visit, [name, which], { ask }) => {
      const [pool, window] = [poolIn(name), windowIn(which)]
      if (pool === null || window === null) return stale(visit)
      await ask(`cap:${pool}:${window}`)
      return choices(visit, pool, window)
    },
  },
  {
    data: /^cap=:(\w{1,32}):(\w{3,5}):(none|\d{1,6})$/,
    acts: true,
    show: async (visit, [name, which, gb = ''], { deps }) => {
      const [pool, window] = [poolIn(name), windowIn(which)]
      if (pool === null || window === null) return stale(visit)
      const bytes = gb === 'none' ? null : Number(BigInt(gb) * bytesPerGb)
      return set(deps, visit, { pool, window, bytes })
    },
  },
  {
    data: /^raise:(\w{1,32}):(\d{4}-\d{2}-\d{2})$/,
    acts: true,
    show: async (visit, [name, day = ''], { deps }) => {
      const pool = poolIn(name)
      return pool === null ? stale(visit) : raise(deps, visit, pool, day)
    },
  },
]

export const capAnswers: readonly Answer[] = [
  {
    question: /^cap:(\w{1,32}):(\w{3,5})$/,
    take: async (visit, [name, which], { deps, text }) => {
      const [pool, window, bytes] = [poolIn(name), windowIn(which), bytesOf(text)]
      if (pool === null || window === null || bytes === null) return null
      return set(deps, visit, { pool, window, bytes })
    },
  },
]
