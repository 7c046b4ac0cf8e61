/** The texts of the screens of the account, as Telegram's HTML. */
import type { invoiceStates } from '#contract/desk/choices'
import type { Language } from '#contract/language'

type InvoiceState = (typeof invoiceStates)[number]
export type CapWindow = 'hour' | 'day' | 'month'

interface AccountTexts {
  heading: string
  invoices: string
  whitelist: string
  limits: string
  users: string
  noInvoices: string
  allInvoices: string
  older: string
  pay: string
  state: Record<InvoiceState, string>
  invoice: (facts: {
    number: string
    id: string
    pool: string
    gb: number | null
    cost: string
    received: string
    state: string
    when: string
  }) => string
  document: (number: string) => string
  choosePool: string
  addresses: (pool: string, count: number) => string
  noAddresses: (pool: string) => string
  addAddress: string
  askAddress: (pool: string) => string
  remove: (what: string) => string
  back: string
  window: Record<CapWindow, string>
  caps: (pool: string) => string
  cap: (window: string, used: string, cap: string | null) => string
  raised: (cap: string) => string
  askCap: (window: string) => string
  noCap: string
  otherCap: string
  raise: string
  raisedNow: (pool: string, cap: string) => string
  nothingToRaise: string
  userList: (pool: string, count: number, most: number) => string
  newUser: string
  askLabel: (pool: string) => string
  freeze: string
  unfreeze: string
  renew: string
  confirmRenew: (label: string) => string
  yesRenew: string
  password: (facts: { label: string; login: string; password: string }) => string
  deleteMessage: string
  passwordRemoved: string
}

const ru: AccountTexts = {
  heading: 'Ваш аккаунт. Что показать?',
  invoices: 'Счета',
  whitelist: 'Белый список',
  limits: 'Лимиты',
  users: 'Пользователи прокси',
  noInvoices: 'Счетов пока нет. Купить трафик: /buy',
  allInvoices: '<b>Счета</b>, сначала новые',
  older: 'Раньше »',
  pay: 'Оплатить',
  state: {
    pending: 'ждёт оплаты',
    paid: 'оплачен',
    underpaid: 'оплачен частично',
    expired: 'истёк',
    cancelled: 'отменён',
    partly_refunded: 'возвращён частично',
    refunded: 'возвращён',
  },
  invoice: ({ number, id, pool, gb, cost, received, state, when }) =>
    `<b>Счёт</b> <code>${number}</code>\n<code>${id}</code>\n\n${gb === null ? pool : `${gb === null ? pool : `${pool}, ${gb} ГБ`}`}\nК оплате: ${cost}\nПолучено: ${received}\nСостояние: ${state}\nСоздан: ${when}`,
  document: (number) => `Документ ${number}`,
  choosePool: 'Какой пул?',
  addresses: (pool, count) =>
    `<b>Белый список</b>, ${pool}\n\nАдресов: ${count}. С них строки работают без логина и пароля. Нажмите на адрес, чтобы убрать его.`,
  noAddresses: (pool) =>
    `<b>Белый список</b>, ${pool}\n\nПока пуст. С адреса из списка строки работают без логина и пароля.`,
  addAddress: '+ Добавить адрес',
  askAddress: (pool) => `Отправьте адрес IPv4 для пула ${pool}, например 203.0.113.7.`,
  remove: (what) => `✕ ${what}`,
  back: '« Назад',
  window: { hour: 'час', day: 'сутки', month: 'месяц' },
  caps: (pool) => `<b>Лимиты трафика</b>, ${pool}\n\nЧасы, сутки и месяцы — по UTC.`,
  cap: (window, used, cap) => `За ${window}: ${used} ${cap === null ? '(без лимита)' : `из ${cap}`}`,
  raised: (cap) => `Сегодня лимит за сутки поднят до ${cap}.`,
  askCap: (window) => `Какой лимит за ${window}? Выберите или отправьте число гигабайт, например 2,5.`,
  noCap: 'Без лимита',
  otherCap: 'Другое число',
  raise: 'Поднять лимит на сегодня',
  raisedNow: (pool, cap) => `Готово. ${pool}: до конца суток по UTC лимит — ${cap}. Завтра он снова обычный.`,
  nothingToRaise: 'Поднимать нечего: это сообщение не о сегодняшнем дне, или лимита за сутки уже нет.',
  userList: (pool, count, most) =>
    `<b>Пользователи прокси</b>, ${pool}\n\n${count} из ${most}. У каждого свой логин и пароль, а трафик они тратят ваш.`,
  newUser: '+ Новый пользователь',
  askLabel: (pool) => `Как назвать пользователя пула ${pool}? До 64 знаков.`,
  freeze: 'Заморозить',
  unfreeze: 'Разморозить',
  renew: 'Новый пароль',
  confirmRenew: (label) =>
    `Сменить пароль пользователя <b>${label}</b>? Старый сразу перестанет работать, и открытые соединения закроются.`,
  yesRenew: 'Сменить',
  password: ({ label, login, password }) =>
    `<b>${label}</b>\n\nЛогин: <code>${login}</code>\nПароль: <code>${password}</code>\n\nСкопируйте пароль и удалите это сообщение.`,
  deleteMessage: 'Удалить сообщение',
  passwordRemoved: 'Пароль из этого сообщения убран.',
}

const en: AccountTexts = {
  heading: 'Your account. What would you like to see?',
  invoices: 'Invoices',
  whitelist: 'Whitelist',
  limits: 'Limits',
  users: 'Proxy users',
  noInvoices: 'There are no invoices yet. Buy traffic: /buy',
  allInvoices: '<b>Invoices</b>, newest first',
  older: 'Older »',
  pay: 'Pay',
  state: {
    pending: 'awaiting payment',
    paid: 'paid',
    underpaid: 'partly paid',
    expired: 'expired',
    cancelled: 'cancelled',
    partly_refunded: 'partly refunded',
    refunded: 'refunded',
  },
  invoice: ({ number, id, pool, gb, cost, received, state, when }) =>
    `<b>Invoice</b> <code>${number}</code>\n<code>${id}</code>\n\n${gb === null ? pool : `${gb === null ? pool : `${pool}, ${gb} GB`}`}\nDue: ${cost}\nReceived: ${received}\nStatus: ${state}\nCreated: ${when}`,
  document: (number) => `Document ${number}`,
  choosePool: 'Which pool?',
  addresses: (pool, count) =>
    `<b>Whitelist</b>, ${pool}\n\nAddresses: ${count}. Lines work from them without a login and password. Tap an address to remove it.`,
  noAddresses: (pool) =>
    `<b>Whitelist</b>, ${pool}\n\nEmpty so far. Lines work without a login and password from an address in the list.`,
  addAddress: '+ Add an address',
  askAddress: (pool) => `Send an IPv4 address for the ${pool} pool, such as 203.0.113.7.`,
  remove: (what) => `✕ ${what}`,
  back: '« Back',
  window: { hour: 'hour', day: 'day', month: 'month' },
  caps: (pool) => `<b>Traffic limits</b>, ${pool}\n\nHours, days and months are in UTC.`,
  cap: (window, used, cap) => `Per ${window}: ${used} ${cap === null ? '(no limit)' : `of ${cap}`}`,
  raised: (cap) => `Today’s limit has been raised to ${cap}.`,
  askCap: (window) => `What limit per ${window}? Choose, or send a number of gigabytes, such as 2.5.`,
  noCap: 'No limit',
  otherCap: 'Another number',
  raise: 'Raise the limit for today',
  raisedNow: (pool, cap) =>
    `Done. ${pool}: until the end of the day (UTC) the limit is ${cap}. Tomorrow it goes back to the usual one.`,
  nothingToRaise:
    'There is nothing to raise: this message is not about today, or there is no longer a daily limit.',
  userList: (pool, count, most) =>
    `<b>Proxy users</b>, ${pool}\n\n${count} of ${most}. Each has its own login and password, and uses your traffic.`,
  newUser: '+ New user',
  askLabel: (pool) => `What should the new user in the ${pool} pool be called? Up to 64 characters.`,
  freeze: 'Freeze',
  unfreeze: 'Unfreeze',
  renew: 'New password',
  confirmRenew: (label) =>
    `Change the password of <b>${label}</b>? The old one stops working at once, and open connections are closed.`,
  yesRenew: 'Change it',
  password: ({ label, login, password }) =>
    `<b>${label}</b>\n\nLogin: <code>${login}</code>\nPassword: <code>${password}</code>\n\nCopy the password and delete this message.`,
  deleteMessage: 'Delete this message',
  passwordRemoved: 'The password has been removed from this message.',
}

export const accountWords: Record<Language, AccountTexts> = { ru, en }
