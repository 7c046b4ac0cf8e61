/** The texts of the screens of one proxy user, as Telegram's HTML. */
import type { Language } from '#contract/language'
import type { UserState } from '#contract/proxy-users/rules'

export type UserWindow = 'total' | 'day' | 'month'

interface UserTexts {
  state: Record<Exclude<UserState, 'active'>, string>
  user: (facts: {
    label: string
    login: string
    state: string | null
    /** A line for each window. */
    used: string[]
    expires: string | null
  }) => string
  used: Record<UserWindow, (used: string, limit: string | null) => string>
  limits: string
  expiry: string
  usage: string
  remove: string
  askWindow: (label: string) => string
  window: Record<UserWindow, string>
  askLimit: (label: string, window: UserWindow) => string
  askExpiry: (label: string) => string
  inDays: (days: number) => string
  never: string
  usageTitle: (label: string) => string
  usageDay: (facts: { day: string; used: string; requests: string }) => string
  noUsage: string
  inAll: (used: string) => string
  confirmRemove: (label: string) => string
  yesRemove: string
}

const ru: UserTexts = {
  state: { frozen: 'заморожен', expired: 'срок истёк', used_up: 'лимит исчерпан' },
  user: ({ label, login, state, used, expires }) =>
    `<b>${label}</b>${state === null ? '' : ` (${state})`}\n\nЛогин: <code>${login}</code>\n${used.join('\n')}\nДействует: ${expires === null ? 'без срока' : `до ${expires}`}`,
  used: {
    total: (used, limit) => `Израсходовано: ${used}${limit === null ? '' : ` из ${limit}`}`,
    day: (used, limit) => `За сутки: ${used}${limit === null ? '' : ` из ${limit}`}`,
    month: (used, limit) => `За месяц: ${used}${limit === null ? '' : ` из ${limit}`}`,
  },
  limits: 'Лимиты',
  expiry: 'Срок',
  usage: 'Расход',
  remove: 'Удалить',
  askWindow: (label) => `Какой лимит пользователя <b>${label}</b> изменить?`,
  window: { total: 'всего', day: 'за сутки', month: 'за месяц' },
  askLimit: (label, window) =>
    `Сколько трафика можно пользователю <b>${label}</b> ${{ total: 'всего', day: 'за сутки', month: 'за месяц' }[window]}? Выберите или отправьте число гигабайт, например 2,5.`,
  askExpiry: (label) =>
    `Сколько ещё действует пользователь <b>${label}</b>? После срока его логин не работает.`,
  inDays: (days) => (days === 1 ? '1 день' : `${days} дней`),
  never: 'Без срока',
  usageTitle: (label) => `<b>${label}</b>, последние 7 дней`,
  usageDay: ({ day, used, requests }) => `${day}: ${used}, запросов: ${requests}`,
  noUsage: 'За эти дни трафика не было.',
  inAll: (used) => `За всё время: ${used}`,
  confirmRemove: (label) =>
    `Удалить пользователя <b>${label}</b>? Его логин сразу перестанет работать, открытые соединения закроются. Вернуть его нельзя. Статистика останется.`,
  yesRemove: 'Удалить навсегда',
}

const en: UserTexts = {
  state: { frozen: 'frozen', expired: 'expired', used_up: 'limit reached' },
  user: ({ label, login, state, used, expires }) =>
    `<b>${label}</b>${state === null ? '' : ` (${state})`}\n\nLogin: <code>${login}</code>\n${used.join('\n')}\n${expires === null ? 'Does not expire' : `Expires: ${expires}`}`,
  used: {
    total: (used, limit) => `Used: ${used}${limit === null ? '' : ` of ${limit}`}`,
    day: (used, limit) => `Today: ${used}${limit === null ? '' : ` of ${limit}`}`,
    month: (used, limit) => `This month: ${used}${limit === null ? '' : ` of ${limit}`}`,
  },
  limits: 'Limits',
  expiry: 'Expiry',
  usage: 'Usage',
  remove: 'Delete',
  askWindow: (label) => `Which limit of <b>${label}</b> do you want to change?`,
  window: { total: 'in total', day: 'per day', month: 'per month' },
  askLimit: (label, window) =>
    `How much traffic may <b>${label}</b> use ${{ total: 'in total', day: 'per day', month: 'per month' }[window]}? Choose, or send a number of gigabytes, such as 2.5.`,
  askExpiry: (label) => `How much longer should <b>${label}</b> work? After that, the login stops working.`,
  inDays: (days) => (days === 1 ? '1 day' : `${days} days`),
  never: 'No expiry',
  usageTitle: (label) => `<b>${label}</b>, the last 7 days`,
  usageDay: ({ day, used, requests }) => `${day}: ${used}, requests: ${requests}`,
  noUsage: 'No traffic on these days.',
  inAll: (used) => `All time: ${used}`,
  confirmRemove: (label) =>
    `Delete <b>${label}</b>? Its login stops working at once, and open connections are closed. This cannot be undone. Its statistics stay.`,
  yesRemove: 'Delete it for good',
}

export const userWords: Record<Language, UserTexts> = { ru, en }
