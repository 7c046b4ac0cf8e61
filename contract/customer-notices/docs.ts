import { documents } from '../docs.ts'
import type { noticesSchemas } from './schemas.ts'

const noticesAbout = {
  en: '`traffic`: once when a fifth, a twentieth and nothing of what a pool had after its last credit is left, and once when less than `below_bytes` is left. `cap`: once when a cap of a pool is reached. `topup`: a charge of automatic top-up failed, the bank asks for the customer, or it was switched off. `trouble`: exits of a country that was used within a day have not answered for some minutes, and once when they do again. `bill`: once a month with traffic, the last hash of the bill. By e-mail to a confirmed address, and by the bot when Telegram is linked.',
  ru: '`traffic`: по одному разу, когда от баланса пула после последнего зачисления осталась пятая часть, двадцатая часть и ничего, и один раз, когда осталось меньше `below_bytes`. `cap`: один раз, когда достигнут лимит пула. `topup`: списание автопополнения не прошло, банк ждёт подтверждения клиента или автопополнение выключилось. `trouble`: выходы страны, которой пользовались за последние сутки, несколько минут не отвечают, и один раз, когда они снова отвечают. `bill`: раз в месяц, если был трафик, последний хеш счёта. Письмом на подтверждённую почту и ботом, если привязан Telegram.',
}

const noticesSample = {
  traffic: { email: true, telegram: true },
  cap: { email: false, telegram: true },
  topup: { email: true, telegram: true },
  trouble: { email: true, telegram: true },
  bill: { email: true, telegram: true },
  below_bytes: 2_000_000_000,
}

export const noticesDocs = documents<typeof noticesSchemas>()({
  get_notices: {
    tag: 'Traffic',
    summary: { en: 'Which notices are sent', ru: 'Какие уведомления приходят' },
    about: noticesAbout,
    input: {},
    output: noticesSample,
    refuses: [],
  },
  set_notices: {
    tag: 'Traffic',
    summary: { en: 'Choose which notices are sent', ru: 'Выбрать уведомления' },
    about: {
      en: `${noticesAbout.en} Omitted fields stay unchanged.`,
      ru: `${noticesAbout.ru} Пропущенные поля не меняются.`,
    },
    input: { traffic: { email: true }, below_bytes: 2_000_000_000 },
    output: noticesSample,
    refuses: ['invalid_byte_cap'],
  },
})
