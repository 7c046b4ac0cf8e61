/**
 * What a shop is connected to (payment processors, mail, bot, receipts) and the variables of the environment
 * that staff may set at the desk instead, in groups. If the environment sets one variable of a group, the desk
 * can set none of the group.
 */
import type { Language } from '../language.ts'

type Text = Record<Language, string>

interface Variable {
  label: Text
  /** The desk shows only whether it is set. */
  isSecret?: true
  /**
   * It selects an account at a processor: open payments of one account are unknown at another. `if_removed`:
   * only its removal leaves payments open that nobody can complete.
   */
  isAccount?: true | 'if_removed'
  /** The address of a server that gets the secrets of the group. */
  isAddress?: true
}

interface Connection {
  section: 'payments' | 'messages' | 'receipts'
  /** The name of the server on the other side, for titles and messages. */
  name: Text
  about: Text
  /** What has to be chosen or written in a special way, for the form. */
  needs?: Text
  /** The payment methods that it offers. */
  methods: readonly string[]
  /** The processor notifies the shop at `/api/webhooks/<group>`. */
  isNotified: boolean
  /** The connection can be tested by a call that changes nothing; `mail`, by a letter. */
  isTested: boolean
  variables: Readonly<Record<string, Variable>>
}

const alike = (text: string): Text => ({ ru: text, en: text })

/** The connections, in the order in which the desk lists them. */
export const connections = {
  card: {
    section: 'payments',
    name: alike('Stripe'),
    about: {
      ru: 'Банковские карты. Ключи — в Stripe Dashboard, раздел Developers.',
      en: 'Bank cards. The keys are in the Stripe Dashboard under Developers.',
    },
    needs: {
      ru: 'События вебхука: checkout.session.*, payment_intent.succeeded, refund.*, charge.refunded, charge.dispute.*',
      en: 'Events of the webhook: checkout.session.*, payment_intent.succeeded, refund.*, charge.refunded, charge.dispute.*',
    },
    methods: ['card'],
    isNotified: true,
    isTested: true,
    variables: {
      STRIPE_SECRET_KEY: {
        label: { ru: 'Секретный ключ (sk_…)', en: 'Secret key (sk_…)' },
        isSecret: true,
        isAccount: true,
      },
      STRIPE_WEBHOOK_SECRET: {
        label: { ru: 'Секрет вебхука (whsec_…)', en: 'Webhook secret (whsec_…)' },
        isSecret: true,
      },
      STRIPE_INVOICES: {
        label: {
          ru: 'Stripe создаёт собственные счета: 1 или 0',
          en: 'Stripe makes its own invoices: 1 or 0',
        },
      },
    },
  },
  yookassa: {
    section: 'payments',
    name: { ru: 'ЮKassa', en: 'YooKassa' },
    about: {
      ru: 'Российские карты и СБП, списание в рублях по вашему курсу.',
      en: 'Russian cards and SBP, charged in rubles at your rate.',
    },
    needs: {
      ru: 'События HTTP-уведомлений: payment.succeeded, payment.canceled, refund.succeeded. Курс рубля задаётся на странице «Цены».',
      en: 'Events of the HTTP notifications: payment.succeeded, payment.canceled, refund.succeeded. The rate of the ruble is set under Prices.',
    },
    methods: ['yookassa'],
    isNotified: true,
    isTested: true,
    variables: {
      YOOKASSA_SHOP_ID: { label: { ru: 'shopId', en: 'Shop ID' }, isAccount: true },
      YOOKASSA_SECRET_KEY: {
        label: { ru: 'Секретный ключ', en: 'Secret key' },
        isSecret: true,
        isAccount: true,
      },
      YOOKASSA_WEBHOOK_CIDRS: {
        label: { ru: 'Сети её уведомлений (необязательно)', en: 'Networks of its notifications (optional)' },
      },
    },
  },
  cryptobot: {
    section: 'payments',
    name: alike('Crypto Pay'),
    about: {
      ru: 'Криптовалюта через @CryptoBot в Telegram.',
      en: 'Cryptocurrency through @CryptoBot in Telegram.',
    },
    methods: ['cryptobot'],
    isNotified: true,
    isTested: true,
    variables: {
      CRYPTOPAY_TOKEN: {
        label: { ru: 'Токен приложения', en: 'App token' },
        isSecret: true,
        isAccount: true,
      },
    },
  },
  crypto: {
    section: 'payments',
    name: alike('BTCPay Server'),
    about: {
      ru: 'Криптовалюта через ваш собственный BTCPay Server.',
      en: 'Cryptocurrency through your own BTCPay Server.',
    },
    needs: {
      ru: 'Права ключа в магазине: canviewinvoices, cancreateinvoice, cancreatenonapprovedpullpayments, canviewpullpayments, canviewpayouts. Вебхук магазина: все события.',
      en: 'Permissions of the key in the store: canviewinvoices, cancreateinvoice, cancreatenonapprovedpullpayments, canviewpullpayments, canviewpayouts. Webhook of the store: all events.',
    },
    methods: ['crypto'],
    isNotified: true,
    isTested: true,
    variables: {
      BTCPAY_URL: {
        label: { ru: 'Адрес сервера', en: 'Address of the server' },
        isAccount: true,
        isAddress: true,
      },
      BTCPAY_API_KEY: { label: { ru: 'Ключ API', en: 'API key' }, isSecret: true, isAccount: true },
      BTCPAY_STORE_ID: { label: { ru: 'Идентификатор магазина', en: 'Store ID' }, isAccount: true },
      BTCPAY_WEBHOOK_SECRET: { label: { ru: 'Секрет вебхука', en: 'Webhook secret' }, isSecret: true },
    },
  },
  stars: {
    section: 'payments',
    name: alike('Telegram Stars'),
    about: {
      ru: 'Принимает бот магазина: укажите, сколько звёзд стоит доллар.',
      en: 'Taken by the shop’s bot: set the price of a dollar in stars.',
    },
    methods: ['stars'],
    isNotified: false,
    isTested: true,
    variables: {
      STARS_PER_USD: {
        label: { ru: 'Звёзд за доллар, например 76.5', en: 'Stars for a dollar, for example 76.5' },
        isAccount: 'if_removed',
      },
    },
  },
  top_up: {
    section: 'payments',
    name: { ru: 'Автопополнение', en: 'Automatic top-up' },
    about: {
      ru: 'Способы оплаты, которые клиент может разрешить списывать автоматически.',
      en: 'The methods that customers may allow the shop to charge by itself.',
    },
    methods: [],
    isNotified: false,
    isTested: false,
    variables: {
      AUTO_TOP_UP: {
        label: {
          ru: 'Способы через запятую: card, yookassa',
          en: 'Methods, separated by commas: card, yookassa',
        },
      },
    },
  },
  receipts: {
    section: 'receipts',
    name: { ru: 'Кассовые чеки', en: 'Fiscal receipts' },
    about: {
      ru: 'Как регистрируются чеки по 54-ФЗ.',
      en: 'How receipts are registered under Russian law 54-FZ.',
    },
    methods: [],
    isNotified: false,
    isTested: false,
    variables: {
      RECEIPTS: {
        label: {
          ru: 'Кто регистрирует: none, yookassa, external или manual',
          en: 'Who registers: none, yookassa, external or manual',
        },
      },
      RECEIPTS_VAT_CODE: { label: { ru: 'Код НДС, от 1 до 12', en: 'VAT code, 1 to 12' } },
      RECEIPTS_TAX_SYSTEM: { label: { ru: 'Система налогообложения, от 1 до 6', en: 'Tax system, 1 to 6' } },
      RECEIPTS_SUBJECT: { label: { ru: 'Признак предмета расчёта', en: 'Payment subject' } },
      RECEIPTS_PAYMENT_MODE: { label: { ru: 'Признак способа расчёта', en: 'Payment mode' } },
      RECEIPTS_MEASURE: {
        label: { ru: 'Единица: gigabyte, piece или none', en: 'Measure: gigabyte, piece or none' },
      },
      RECEIPTS_CLOSING_DAYS: { label: { ru: 'Дней до второго чека', en: 'Days until the second receipt' } },
      RECEIPTS_BY_HAND: { label: { ru: 'Способы с чеками вручную', en: 'Methods with receipts by hand' } },
      RECEIPTS_ITEM_NAME: { label: { ru: 'Название товара', en: 'Name of the item' } },
    },
  },
  mail: {
    section: 'messages',
    name: { ru: 'Почтовый сервер', en: 'Mail server' },
    about: {
      ru: 'Через него уходят письма клиентам и сотрудникам.',
      en: 'Letters to customers and staff leave through it.',
    },
    needs: {
      ru: 'В логине и пароле вместо @ пишите %40, вместо : — %3A, вместо / — %2F.',
      en: 'In the login and the password write %40 for @, %3A for : and %2F for /.',
    },
    methods: [],
    isNotified: false,
    isTested: true,
    variables: {
      SMTP_URL: {
        label: {
          ru: 'Адрес с логином: smtps://user:password@smtp.example.net:465',
          en: 'Address with login: smtps://user:password@smtp.example.net:465',
        },
        isSecret: true,
        isAddress: true,
      },
      MAIL_FROM: {
        label: {
          ru: 'Отправитель: Shop <no-reply@shop.example.net>',
          en: 'Sender: Shop <no-reply@shop.example.net>',
        },
      },
    },
  },
  bot: {
    section: 'messages',
    name: { ru: 'Бот в Telegram', en: 'Telegram bot' },
    about: {
      ru: 'Продаёт, показывает баланс и присылает уведомления в Telegram.',
      en: 'Sells, shows balances and sends notices in Telegram.',
    },
    methods: ['stars'],
    isNotified: false,
    isTested: true,
    variables: {
      TELEGRAM_BOT_TOKEN: {
        label: { ru: 'Токен от BotFather', en: 'Token from BotFather' },
        isSecret: true,
        isAccount: true,
      },
      TELEGRAM_BOT_NAME: { label: { ru: 'Имя пользователя бота', en: 'User name of the bot' } },
      TELEGRAM_WEBHOOK_SECRET: {
        label: {
          ru: 'Секрет вебхука (необязательно, от 16 символов)',
          en: 'Secret of the webhook (optional: 16 characters or more)',
        },
        isSecret: true,
      },
    },
  },
} as const satisfies Record<string, Connection>

type Connections = typeof connections

export type VariableGroup = keyof Connections

export type TestedGroup = {
  [Group in VariableGroup]: Connections[Group]['isTested'] extends true ? Group : never
}[VariableGroup]

type VariableName = {
  [Group in VariableGroup]: keyof Connections[Group]['variables']
}[VariableGroup]

export const variableGroupNames = Object.keys(connections) as [VariableGroup, ...VariableGroup[]]

export const testedGroups = variableGroupNames.filter((group) => connections[group].isTested) as [
  TestedGroup,
  ...TestedGroup[],
]

/** A connection, without what its own type knows of it. */
export const connectionOf = (group: VariableGroup): Connection => connections[group]

/** The names of a group's variables. */
export const variablesOf = (group: VariableGroup): readonly VariableName[] =>
  Object.keys(connections[group].variables) as VariableName[]

const variables: Readonly<Record<string, Variable>> = Object.assign(
  {},
  ...variableGroupNames.map((group) => connections[group].variables),
)

export const variableNames = Object.keys(variables) as [VariableName, ...VariableName[]]

/** The properties of a variable; a name that is in no group has none. */
export const variableOf = (name: string): Variable => variables[name] ?? { label: alike(name) }
