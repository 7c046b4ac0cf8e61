/** The usage of the last days, as a picture with the totals under it. */
import { InlineKeyboard } from 'grammy'
import type { Language } from '#contract/language'
import type { Pool } from '#contract/wire'
import { poolIn, type Route, stale } from '../base/route.ts'
import { type Screen, trafficIn, trafficOf } from '../base/screens.ts'
import type { Visit } from '../base/visit.ts'
import { drawUsage } from './picture.ts'
import { renderPng } from './render.ts'

const dayMs = 86_400_000

interface UsageTexts {
  title: string
  subtitle: (days: number) => string
  allPools: string
  paid: string
  bonus: string
  caption: (facts: {
    days: number
    pool: string | null
    used: string
    before: string
    requests: string
  }) => string
  days: (count: number) => string
}

const words: Record<Language, UsageTexts> = {
  ru: {
    title: 'Расход трафика',
    subtitle: (days) => `По дням за ${days} дней, UTC`,
    allPools: 'Все пулы',
    paid: 'Купленный',
    bonus: 'Бонусный',
    caption: ({ days, pool, used, before, requests }) =>
      `<b>${pool === null ? '' : `${pool}. `}За ${days} дней: ${used}</b>\n\nЗапросов: ${requests}\nЗа ${days} дней до этого: ${before}`,
    days: (count) => `${count} дней`,
  },
  en: {
    title: 'Traffic used',
    subtitle: (days) => `By day, the last ${days} days, UTC`,
    allPools: 'All pools',
    paid: 'Paid',
    bonus: 'Bonus',
    caption: ({ days, pool, used, before, requests }) =>
      `<b>${pool === null ? '' : `${pool}. `}In ${days} days: ${used}</b>\n\nRequests: ${requests}\nIn the ${days} days before: ${before}`,
    days: (count) => `${count} days`,
  },
}

interface Period {
  /** The number of days, including today. */
  count: 7 | 30
  /** Null: all pools. */
  pool: Pool | null
}

/** The picture of the last days. */
export async function usageScreen(visit: Visit, { count, pool }: Period, now: Date): Promise<Screen> {
  const { call, language } = visit
  const say = words[language]
  const dayAt = (index: number) =>
    new Date(now.getTime() - (count - 1 - index) * dayMs).toISOString().slice(0, 10)
  const from = dayAt(0)
  const to = dayAt(count - 1)
  const { rows, total, before } = await call('get_usage', {
    from,
    to,
    by: 'day',
    ...(pool === null ? {} : { pool }),
  })
  const byDay = new Map(rows.map((row) => [row.key, row]))
  const days = Array.from({ length: count }, (_, index) => {
    const day = dayAt(index)
    const row = byDay.get(day)
    const bonusBytes = row?.bonus_bytes ?? 0
    return { day, bonusBytes, paidBytes: (row?.charged_bytes ?? 0) - bonusBytes }
  })
  const legend = { paid: say.paid, bonus: say.bonus }
  const poolName = pool === null ? null : visit.words.pools[pool]
  const title = poolName === null ? say.title : `${say.title}: ${poolName}`
  const svg = drawUsage({ title, subtitle: say.subtitle(count), legend, language, days })
  const caption = say.caption({
    days: count,
    pool: poolName,
    used: trafficIn(language, BigInt(total.charged_bytes)),
    before: trafficIn(language, BigInt(before.charged_bytes)),
    requests: new Intl.NumberFormat(language === 'ru' ? 'ru-RU' : 'en-GB').format(total.requests),
  })
  return {
    text: caption,
    keyboard: (await choices(visit, { count, pool })).text(visit.words.button.menu, 'menu'),
    file: { kind: 'photo', name: `usage-${to}-${count}.png`, bytes: await renderPng(svg) },
  }
}

/** Buttons for the other period and, with several pools, for each pool and for all. */
async function choices(visit: Visit, { count, pool }: Period): Promise<InlineKeyboard> {
  const say = words[visit.language]
  const other = count === 7 ? 30 : 7
  const keyboard = new InlineKeyboard().text(say.days(other), dataOf({ count: other, pool })).row()
  const known = [...(await trafficOf(visit)).keys()]
  if (known.length < 2) return keyboard
  for (const one of known)
    if (one !== pool) keyboard.text(visit.words.pools[one], dataOf({ count, pool: one })).row()
  return pool === null ? keyboard : keyboard.text(say.allPools, dataOf({ count, pool: null })).row()
}

const dataOf = ({ count, pool }: Period) => `usage:${count}${pool === null ? '' : `:${pool}`}`

export const usageRoutes: readonly Route[] = [
  {
    data: /^usage(?::(7|30)(?::(\w{1,32}))?)?$/,
    show: (visit, [days, name = ''], { deps }) => {
      const pool = name === '' ? null : poolIn(name)
      if (name !== '' && pool === null) return Promise.resolve(stale(visit))
      return usageScreen(visit, { count: days === '30' ? 30 : 7, pool }, deps.now())
    },
  },
]
