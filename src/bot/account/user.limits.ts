/** The limits and the term of one proxy user, its usage, and its deletion. */
import { InlineKeyboard } from 'grammy'
import { bytesPerGb } from '#contract/wire'
import { marked } from '../base/mark.ts'
import { acting, type Answer, poolIn, type Route, stale } from '../base/route.ts'
import { type Screen, trafficIn } from '../base/screens.ts'
import { escapeHtml } from '../base/texts.ts'
import type { Visit } from '../base/visit.ts'
import { bytesOf } from './amount.ts'
import { found, ofUser, type UserAt } from './user.routes.ts'
import { userScreen, userWindows } from './user.screen.ts'
import { userWords, type UserWindow } from './users.words.ts'
import { accountWords } from './words.ts'

/** The limits offered as buttons, in GB. */
const usualLimits = [1, 5, 10, 50, 100] as const
/** The terms offered as buttons, in days from now. */
const usualTerms = [1, 7, 30, 90] as const
const dayMs = 86_400_000
const usageDays = 7

const windowIn = (name: string | undefined): UserWindow | null =>
  userWindows.find((known) => known === name) ?? null

async function windows(visit: Visit, at: UserAt): Promise<Screen> {
  const say = userWords[visit.language]
  const { label } = await found(visit, at)
  const keyboard = new InlineKeyboard()
  for (const window of userWindows) keyboard.text(say.window[window], `pul:${at.pool}:${at.number}:${window}`)
  keyboard.row().text(accountWords[visit.language].back, `pu:${at.pool}:${at.number}`)
  return { text: say.askWindow(escapeHtml(label)), keyboard }
}

async function choices(visit: Visit, at: UserAt, window: UserWindow): Promise<Screen> {
  const { language } = visit
  const say = userWords[language]
  const { label } = await found(visit, at)
  const button = (value: string) =>
    marked(`pul=:${at.pool}:${at.number}:${window}:${value}`, visit.account.id)
  const keyboard = new InlineKeyboard()
  for (const gb of usualLimits)
    keyboard.text(trafficIn(language, BigInt(gb) * bytesPerGb).replace(/[.,]00/, ''), button(String(gb)))
  keyboard.row().text(accountWords[language].noCap, button('none'))
  keyboard.row().text(accountWords[language].back, `pul:${at.pool}:${at.number}`)
  return { text: say.askLimit(escapeHtml(label), window), keyboard }
}

interface Limit {
  window: UserWindow
  /** Null: no limit. */
  bytes: number | null
}

async function setLimit(visit: Visit, at: UserAt, { window, bytes }: Limit, now: Date): Promise<Screen> {
  const user = await visit.call('change_proxy_user', { ...at, [`${window}_bytes`]: bytes })
  return userScreen(visit, at.pool, user, now)
}

async function terms(visit: Visit, at: UserAt): Promise<Screen> {
  const say = userWords[visit.language]
  const { label } = await found(visit, at)
  const button = (days: string) => marked(`pue=:${at.pool}:${at.number}:${days}`, visit.account.id)
  const keyboard = new InlineKeyboard()
  for (const days of usualTerms) keyboard.text(say.inDays(days), button(String(days)))
  keyboard.row().text(say.never, button('none'))
  keyboard.row().text(accountWords[visit.language].back, `pu:${at.pool}:${at.number}`)
  return { text: say.askExpiry(escapeHtml(label)), keyboard }
}

async function usage(visit: Visit, at: UserAt): Promise<Screen> {
  const { call, language } = visit
  const say = userWords[language]
  const { label } = await found(visit, at)
  const { days, total_bytes: total } = await call('proxy_user_usage', { ...at, days: usageDays })
  const lines = days
    .filter(({ bytes, requests }) => bytes > 0 || requests > 0)
    .toReversed()
    .map(({ day, bytes, requests }) =>
      say.usageDay({ day, used: trafficIn(language, BigInt(bytes)), requests: String(requests) }),
    )
  const rows = lines.length === 0 ? say.noUsage : lines.join('\n')
  return {
    text: `${say.usageTitle(escapeHtml(label))}\n\n${rows}\n\n${say.inAll(trafficIn(language, BigInt(total)))}`,
    keyboard: new InlineKeyboard().text(accountWords[language].back, `pu:${at.pool}:${at.number}`),
  }
}

async function askToRemove(visit: Visit, at: UserAt): Promise<Screen> {
  const say = userWords[visit.language]
  const { label } = await found(visit, at)
  return {
    text: say.confirmRemove(escapeHtml(label)),
    keyboard: new InlineKeyboard()
      .text(say.yesRemove, marked(`pud!:${at.pool}:${at.number}`, visit.account.id))
      .text(accountWords[visit.language].back, `pu:${at.pool}:${at.number}`),
  }
}

export const userLimitRoutes: readonly Route[] = [
  ofUser('pul', (visit, at) => windows(visit, at)),
  ofUser(
    'pul',
    async (visit, at, [which], { ask }) => {
      const window = windowIn(which)
      if (window === null) return stale(visit)
      const screen = await choices(visit, at, window)
      await ask(`pul:${at.pool}:${at.number}:${window}`)
      return screen
    },
    ':(\\w{3,5})',
  ),
  acting(
    ofUser(
      'pul=',
      async (visit, at, [which, gb = ''], { deps }) => {
        const window = windowIn(which)
        if (window === null) return stale(visit)
        const bytes = gb === 'none' ? null : Number(BigInt(gb) * bytesPerGb)
        return setLimit(visit, at, { window, bytes }, deps.now())
      },
      ':(\\w{3,5}):(none|\\d{1,6})',
    ),
  ),
  ofUser('pue', (visit, at) => terms(visit, at)),
  acting(
    ofUser(
      'pue=',
      async (visit, at, [days = ''], { deps }) => {
        const now = deps.now()
        const until = days === 'none' ? null : new Date(now.getTime() + Number(days) * dayMs).toISOString()
        const user = await visit.call('change_proxy_user', { ...at, expires_at: until })
        return userScreen(visit, at.pool, user, now)
      },
      ':(none|\\d{1,3})',
    ),
  ),
  ofUser('puu', (visit, at) => usage(visit, at)),
  ofUser('pud', (visit, at) => askToRemove(visit, at)),
]

export const userLimitAnswers: readonly Answer[] = [
  {
    question: /^pul:(\w{1,32}):(\d{1,7}):(\w{3,5})$/,
    take: async (visit, [name, number, which], { deps, text }) => {
      const [pool, window, bytes] = [poolIn(name), windowIn(which), bytesOf(text)]
      if (pool === null || window === null || bytes === null) return null
      return setLimit(visit, { pool, number: Number(number) }, { window, bytes }, deps.now())
    },
  },
]
