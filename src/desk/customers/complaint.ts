/**
 * The answer to a person who complains about a connection: what is known of the connection, and nothing that
 * identifies the customer.
 */
import type { Connection } from '#requests'

/** The parts of a connection that the answer may use: nothing of the customer and of where they came from. */
type ShownConnection = Pick<Connection, 'id' | 'startedAt' | 'endedAt' | 'target'>

interface Complaint {
  shop: string
  connection: ShownConnection
  /** The customer is blocked at present. */
  isBlocked: boolean
}

const utc = (time: Date) => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`

const texts = {
  en: ({ shop, connection: { id, startedAt, endedAt, target }, isBlocked }: Complaint) => [
    'Hello,',
    `Thank you for your report. ${shop} is a proxy service: customers reach the internet through its addresses.`,
    `We have found the connection that you report${target === null ? '' : ` to ${target}`}. It was opened at ${utc(startedAt)} and ended at ${utc(endedAt)}. Its number with us is ${id}.`,
    isBlocked
      ? 'The customer who opened it is blocked and can open no further connections.'
      : 'We are examining how the customer who opened it uses our service.',
    'We do not disclose who our customers are. An authority that may ask for it by law can do so with the number above.',
    `Regards,\n${shop}`,
  ],
  ru: ({ shop, connection: { id, startedAt, endedAt, target }, isBlocked }: Complaint) => [
    'Здравствуйте!',
    `Спасибо за сообщение. ${shop} — прокси-сервис: клиенты выходят в интернет через его адреса.`,
    `Мы нашли соединение, на которое вы жалуетесь${target === null ? '' : `, — с ${target}`}. Оно открыто ${utc(startedAt)} и закрыто ${utc(endedAt)}. Его номер у нас — ${id}.`,
    isBlocked
      ? 'Клиент, открывший соединение, заблокирован и открыть новые не может.'
      : 'Мы проверяем, как клиент, открывший соединение, пользуется нашим сервисом.',
    'Сведения о клиентах мы не раскрываем. Органы, которые вправе запросить их по закону, могут сослаться на номер выше.',
    `С уважением,\n${shop}`,
  ],
}

/** The text of the answer, to be copied into a letter. */
export const complaintAnswer = (language: 'ru' | 'en', complaint: Complaint): string =>
  texts[language](complaint).join('\n\n')
