/** The documentation of each call beyond its schemas: summary, examples, refusals. */
import type * as z from 'zod'
import type { Language } from './language.ts'

/** A text of the documentation in every language. */
export type Texts = Readonly<Record<Language, string>>

/** What a customer does with the calls, in the order of the documentation. */
export const tags = {
  Proxies: {
    name: { en: 'Proxies', ru: 'Прокси' },
    about: {
      en: 'Proxy lines, exit locations, proxy passwords, proxy users and the whitelist.',
      ru: 'Строки прокси, страны и города, пароли и пользователи прокси, белый список.',
    },
  },
  Traffic: {
    name: { en: 'Traffic and statistics', ru: 'Трафик и статистика' },
    about: {
      en: 'Balances, usage, limits, notices and the records of single requests.',
      ru: 'Остатки, расход, ограничения, уведомления и записи об отдельных запросах.',
    },
  },
  Buying: {
    name: { en: 'Buying and invoices', ru: 'Покупка и счета' },
    about: {
      en: 'Prices, promo codes, invoices, documents, automatic top-up and payment from the referral balance.',
      ru: 'Цены, промокоды, счета, документы, автопополнение и оплата с реферального баланса.',
    },
  },
  Reselling: {
    name: { en: 'Resellers', ru: 'Реселлерам' },
    about: {
      en: 'The API token and the referral programme.',
      ru: 'Токен API и реферальная программа.',
    },
  },
  Account: {
    name: { en: 'Account', ru: 'Аккаунт' },
    about: {
      en: 'The language of messages, what protects the account, and your personal data.',
      ru: 'Язык сообщений, защита аккаунта и ваши личные данные.',
    },
  },
  'Signing in': {
    name: { en: 'Signing in', ru: 'Вход и регистрация' },
    about: {
      en: 'Sign-up, sign-in and account passwords. An API token cannot make these calls.',
      ru: 'Регистрация, вход и пароль аккаунта. С токеном API эти вызовы недоступны.',
    },
  },
  Site: {
    name: { en: 'Site', ru: 'Сайт' },
    about: {
      en: 'Texts, links and banners of the operator.',
      ru: 'Тексты, ссылки и баннеры владельца магазина.',
    },
  },
} as const satisfies Record<string, { name: Texts; about: Texts }>

interface Schemas {
  input: z.ZodType
  output: z.ZodType
}

/** What a handler returns by these schemas. */
export type Answer<S extends Schemas> = z.output<S['output']>

export interface Description<S extends Schemas, Code extends string = string> {
  tag: keyof typeof tags
  summary: Texts
  /** Further documentation; names of the wire are in backticks. */
  about?: Texts
  /** Examples of the input and the output; a file has no example. */
  input: z.input<S['input']>
  output: Answer<S> extends { bytes: Uint8Array } ? null : Answer<S>
  /** An example of the JSON that a call of text answers with by `Accept: application/json`. */
  json?: object
  /** The refusals of this call; `openapi.ts` adds those that calls share. */
  refuses: readonly Code[]
}

/** The descriptions of the calls of a slice; `openapi/descriptions.ts` checks the codes of the refusals. */
export const documents =
  <Slice extends Record<string, Schemas>>() =>
  <const Given extends { [N in keyof Slice]: Description<Slice[N]> }>(
    given: Given & Record<Exclude<keyof Given, keyof Slice>, never>,
  ): Given =>
    given
