/** The usage of the last days, as a picture with the totals under it. */
import { InlineKeyboard } from 'grammy'
import type { Language } from '#contract/language'
import type { Route } from '../base/route.ts'
import { type Screen, trafficIn } from '../base/screens.ts'
import type { Visit } from '../base/visit.ts'
import { drawUsage } from './picture.ts'
import { renderPng } from './render.ts'

const dayMs = 86_400_000

interface Words {
  title: string
  subtitle: (days: number) => string
  paid: string
  bonus: string
  caption: (facts: { days: number; used: string; before: string; requests: string }) => string
  days: (count: number) => string
}

const words: Record<Language, Words> = {
  ru: {
    title: 'Расход трафика',
    subtitle: (days) => `По дням за ${days} дней, UTC`,
    paid: 'Купленный',
    bonus: 'Бонусный',
    caption: ({ days, used, before, requests }) =>
      `<b>За ${days} дней: ${used}</b>\n\nЗапросов: ${requests}\nЗа ${days} дней до этого: ${before}`,
    days: (count) => `${count} дней`,
  },
  en: {
    title: 'Traffic used',
    subtitle: (days) => `By day, the last ${days} days, UTC`,
    paid: 'Bought',
    bonus: 'Bonus',
    caption: ({ days, used, before, requests }) =>
      `<b>In ${days} days: ${used}</b>\n\nRequests: ${requests}\nIn the ${days} days before: ${before}`,
    days: (count) => `${count} days`,
  },
}

/** The picture of the last `count` days, today among them. */
export async function usageScreen(visit: Visit, count: 7 | 30, now: Date): Promise<Screen> {
  const { call, language } = visit
  const say = words[language]
  const dayAt = (index: number) =>
    new Date(now.getTime() - (count - 1 - index) * dayMs).toISOString().slice(0, 10)
  const from = dayAt(0)
  const to = dayAt(count - 1)
  const { rows, total, before } = await call('get_usage', { from, to, by: 'day' })
  const byDay = new Map(rows.map((row) => [row.key, row]))
  const days = Array.from({ length: count }, (_, index) => {
    const day = dayAt(index)
    const row = byDay.get(day)
    const bonusBytes = row?.bonus_bytes ?? 0
    return { day, bonusBytes, paidBytes: (row?.charged_bytes ?? 0) - bonusBytes }
  })
  const legend = { paid: say.paid, bonus: say.bonus }
  const svg = drawUsage({ title: say.title, subtitle: say.subtitle(count), legend, language, days })
  const caption = say.caption({
    days: count,
    used: trafficIn(language, BigInt(total.charged_bytes)),
    before: trafficIn(language, BigInt(before.charged_bytes)),
    requests: new Intl.NumberFormat(language === 'ru' ? 'ru-RU' : 'en-GB').format(total.requests),
  })
  const other = count === 7 ? 30 : 7
  return {
    text: caption,
    keyboard: new InlineKeyboard()
      .text(say.days(other), `usage:${other}`)
      .text(visit.words.button.menu, 'menu'),
    file: { kind: 'photo', name: `usage-${to}-${count}.png`, bytes: await renderPng(svg) },
  }
}

export const usageRoutes: readonly Route[] = [
  { data: /^usage$/, show: (visit, _, { deps }) => usageScreen(visit, 7, deps.now()) },
  {
    data: /^usage:(7|30)$/,
    show: (visit, [days], { deps }) => usageScreen(visit, days === '30' ? 30 : 7, deps.now()),
  },
]
