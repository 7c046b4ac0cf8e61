/** The words of messages to staff, in both languages. */
import { dollarsIn, trafficIn } from '#contract/amounts'
import { type AlertKind, alertRules } from '#contract/desk/alerts'
import type { Language } from '#contract/language'
import type { Item, News } from './news.ts'

export interface StaffMessage {
  title: string
  lines: string[]
  /** The page of the desk that its button opens. */
  page: string
}

const kinds: Record<AlertKind, Record<Language, string>> = {
  dispute_due: {
    ru: 'На спор надо ответить за три дня',
    en: 'A dispute is to be answered within three days',
  },
  dispute: { ru: 'Платёж оспорен', en: 'A payment is disputed' },
  wrong_amount: { ru: 'Пришла не та сумма', en: 'The wrong amount was paid' },
  processor_denied: {
    ru: 'Платёжная система не впускает магазин: проверьте ключ',
    en: 'A payment processor does not let the shop in: check its key',
  },
  wish_refused: {
    ru: 'Платёжная система не даёт магазину части заказа: счета выставляются без неё',
    en: 'A payment processor refuses a part of the shop’s invoices: they are made without it',
  },
  refund_failed: { ru: 'Возврат не прошёл', en: 'A refund failed' },
  refund_by_hand: { ru: 'Возврат ждёт отправки вручную', en: 'A refund waits to be sent by hand' },
  refund_unclear: {
    ru: 'Деньги возвращены в другой валюте: скажите, сколько это по счёту',
    en: 'Money was returned in another currency: say how much of the invoice it is',
  },
  paid_without_traffic: { ru: 'Оплачено, а трафика нет', en: 'Paid, but no traffic' },
  receipt_failed: { ru: 'Чек не оформлен', en: 'A receipt is not registered' },
  receipt_by_hand: { ru: 'Чек ждёт оформления вручную', en: 'A receipt waits to be registered by hand' },
  document_failed: {
    ru: 'Документы не выпускаются больше часа',
    en: 'Documents have not been made for over an hour',
  },
  payout_waiting: { ru: 'Выплата ждёт отправки', en: 'A payout waits to be sent' },
  pool_down: { ru: 'Не отвечает ни один выход пула', en: 'No exit of the pool answers' },
  exit_down: { ru: 'Выход не отвечает', en: 'An exit does not answer' },
  exit_fault: {
    ru: 'Выход неисправен: пароль не расшифровать',
    en: 'An exit is out of order: its password cannot be unsealed',
  },
  stock_low: { ru: 'Трафик у продавца кончается', en: 'The stock at the seller is low' },
  stock_short: {
    ru: 'У клиентов на руках больше, чем осталось у продавца',
    en: 'Customers hold more than is left at a seller',
  },
  seller_fault: { ru: 'Аккаунт у продавца не читается', en: 'An account at a seller cannot be read' },
  seller_places: {
    ru: 'Список мест продавца сократился вдвое',
    en: 'A seller’s list of places has halved',
  },
  seller_bill: {
    ru: 'Счёт продавца расходится с нашим больше чем на 2 %',
    en: 'A seller’s bill differs from ours by more than 2 %',
  },
  below_cost: { ru: 'Цена ниже себестоимости', en: 'Sold below cost' },
  rate_closed: {
    ru: 'Курс слишком стар и больше не действует',
    en: 'The exchange rate is too old and is used no longer',
  },
  rate_old: { ru: 'Курс давно не обновляли', en: 'The exchange rate is old' },
  rate_missing: {
    ru: 'Нет курса валюты, в которой куплены выходы: маржа неизвестна',
    en: 'There is no rate of a currency that exits cost: the margin is not known',
  },
  backup_old: { ru: 'Давно не было резервной копии', en: 'There is no recent backup' },
  disk_low: { ru: 'На диске мало места', en: 'The disk is filling' },
  certificate: {
    ru: 'Сертификат заканчивается или негоден',
    en: 'A certificate is ending, or cannot be used',
  },
  reports_aside: { ru: 'Отчёты шлюза не учтены', en: 'Reports of a gateway are not settled' },
  letters_stuck: { ru: 'Письма не уходят', en: 'Letters are stuck' },
  letters_failed: { ru: 'Письма не доставлены', en: 'Letters were given up' },
  group_lost: {
    ru: 'Группа в Telegram не принимает сообщений',
    en: 'The group in Telegram takes no messages',
  },
  erasure: { ru: 'Клиент просит удалить данные', en: 'A customer asks to have their data erased' },
}

const words = {
  ru: {
    over: 'Прошло',
    more: (count: number) => ` и ещё ${count}`,
    several: 'Несколько событий',
    held: 'За тихие часы',
    digest: (day: string) => `Сводка за сутки, ${day}`,
    sold: 'Продано',
    used: 'Израсходовано',
    newCustomers: 'Новых клиентов',
    open: 'Требует внимания',
    calm: 'Ничто не требует внимания.',
    linked: 'Группа привязана. Сюда будут приходить уведомления магазина.',
    test: 'Проверочное сообщение',
    testBy: (name: string) => `Отправитель: ${name}, из рабочего стола. Уведомления доходят.`,
    button: 'Открыть',
  },
  en: {
    over: 'Over',
    more: (count: number) => ` and ${count} more`,
    several: 'Several events',
    held: 'During the quiet hours',
    digest: (day: string) => `The last 24 hours, ${day}`,
    sold: 'Sold',
    used: 'Used',
    newCustomers: 'New customers',
    open: 'Needs attention',
    calm: 'Nothing needs attention.',
    linked: 'The group is linked. Notices of the shop will come here.',
    test: 'A test message',
    testBy: (name: string) => `${name} has sent it from the desk. Notices arrive.`,
    button: 'Open',
  },
} as const

export const buttonText = (language: Language): string => words[language].button

function lineOf({ kind, isOver, labels, more }: Item, language: Language): string {
  const { over, more: andMore } = words[language]
  const name = kinds[kind][language]
  const what = labels.length === 0 ? name : `${name}: ${labels.join(', ')}${more > 0 ? andMore(more) : ''}`
  return isOver ? `${over}: ${what}` : what
}

/** A message in a language, as plain text. */
export function wordsOf(news: News, language: Language): StaffMessage {
  const texts = words[language]
  if (news.about === 'test')
    return { title: texts.test, lines: [texts.testBy(news.by)], page: '/settings?tab=alerts' }
  const lines = news.items.map((item) => lineOf(item, language))
  const [first] = news.items
  const page =
    first !== undefined && news.items.length === 1 ? (first.page ?? alertRules[first.kind].page) : '/'
  if (news.about === 'alerts')
    return first !== undefined && lines.length === 1
      ? { title: lines[0] ?? '', lines: [], page }
      : { title: texts.several, lines, page }
  if (news.about === 'held') return { title: texts.held, lines, page }
  const open = lines.length === 0 ? [texts.calm] : [`${texts.open}:`, ...lines.map((line) => `• ${line}`)]
  if (news.about === 'linked') return { title: texts.linked, lines: open, page: '/' }
  const { sold_micros, sold_bytes, used_bytes, new_customers } = news.figures
  const sold = `${dollarsIn(Number(sold_micros) / 1e6, language)}, ${trafficIn(BigInt(sold_bytes), language)}`
  const day = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : 'ru', {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(new Date(news.day))
  return {
    title: texts.digest(day),
    lines: [
      `${texts.sold}: ${sold}`,
      `${texts.used}: ${trafficIn(BigInt(used_bytes), language)}`,
      `${texts.newCustomers}: ${new_customers}`,
      ...open,
    ],
    page: '/',
  }
}

/** The letter with the code that confirms an address. */
export function codeWords(code: string, language: Language): { subject: string; lines: string[] } {
  return language === 'ru'
    ? {
        subject: 'Код подтверждения адреса',
        lines: [
          `Код: ${code}`,
          'Введите его на своей странице в рабочем столе магазина в течение десяти минут. Если вы не просили уведомлений, ничего не делайте: писем больше не будет.',
        ],
      }
    : {
        subject: 'Code to confirm your address',
        lines: [
          `Code: ${code}`,
          'Enter it on your own page of the desk within ten minutes. If you did not ask for notices, do nothing: no more letters will come.',
        ],
      }
}
