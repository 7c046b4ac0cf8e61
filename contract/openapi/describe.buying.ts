import { listedInvoices } from '../invoices.ts'
import type { Output } from '../contract.ts'
import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

const paidInvoice: Output<'invoice'> = {
  number: '9f3c1a0d5e7b2468ace0',
  pool: 'residential',
  gb: 100,
  method: 'card',
  automatic: false,
  state: 'paid',
  cost_usd: 315,
  charged: null,
  shown: { currency: 'EUR', amount: '290.21', digits: 2, per_usd: '0.9213', on: '2026-11-20' },
  received_usd: 315,
  refunded_usd: 0,
  promo_lost: false,
  credited: 100000,
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-11-20T11:00:00.000Z',
  settled_at: '2026-11-20T10:02:31.000Z',
  payment_url: null,
  receipts: [
    {
      kind: 'payment',
      state: 'registered',
      email: 'ivan@example.com',
      fiscal_document_number: '3997',
      fiscal_storage_number: '9288000100115786',
      fiscal_attribute: '2617603922',
      number: null,
      link: null,
      registered_at: '2026-11-20T10:03:05.000Z',
    },
  ],
}

const discountRefusals = [
  'promocode_invalid',
  'promocode_pool',
  'promocode_first_purchase',
  'promocode_person_limit',
] as const

export const buyingCalls = {
  prices: {
    tag: 'Buying',
    summary: { en: 'Price per GB of each pool, in USD', ru: 'Цена гигабайта в каждом пуле, в долларах' },
    input: {},
    output: { residential: 3.5, residential_premium: 5.9, datacenter: 0.7, mobile: 7.9 },
    refuses: [],
  },
  calculate: {
    tag: 'Buying',
    summary: { en: 'Volume discounts for amounts', ru: 'Скидки за объём' },
    about: {
      en: 'One fraction per amount in GB, in the order of the request. Price per GB = base × (1 − volume discount) × (1 − promo discount).',
      ru: 'Для каждого количества в ГБ — доля от 0 до 1, в том же порядке. Цена гигабайта = базовая × (1 − скидка за объём) × (1 − скидка по промокоду).',
    },
    input: { amounts: [1, 100, 300, 500, 1000] },
    output: [0, 0.1, 0.17, 0.25, 0.33],
    refuses: [],
  },
  payment_systems: {
    tag: 'Buying',
    summary: { en: 'Payment methods', ru: 'Способы оплаты' },
    about: {
      en: 'Descriptions are HTML written by the operator. `title` is what the operator calls the method; null: use a name of your own. `unavailable` is there when the method cannot be used at present, and says why.',
      ru: 'Описания — HTML, который написал владелец магазина. `title` — как он называет способ оплаты; null — назовите его сами. `unavailable` есть, когда способом сейчас нельзя пользоваться, и говорит почему.',
    },
    input: {},
    output: [{ name: 'crypto', title: null, description: 'Bitcoin and Lightning' }],
    refuses: [],
  },
  discount_promocode_info: {
    tag: 'Buying',
    summary: { en: 'The discount of a promo code for an amount', ru: 'Скидка по промокоду' },
    about: {
      en: '`pool` is optional: without it, a code that is only for other pools is refused when the order is made.',
      ru: '`pool` можно не указывать: тогда код, который действует только для других пулов, будет отклонён при заказе.',
    },
    input: { code: 'SPRING', amount: '100', pool: 'residential' },
    output: { discount: 0.15, expires_at: '2026-12-31T23:59:59.999Z', max_uses: 500, uses: 12 },
    refuses: [...discountRefusals, 'invalid_amount', 'too_many_attempts'],
  },
  create_invoice_web: {
    tag: 'Buying',
    summary: { en: 'Create an invoice', ru: 'Выставить счёт' },
    about: {
      en: 'Returns the URL of the payment page as text; the header `x-invoice-id` has the number of the invoice. The price is fixed in the invoice. Send an `Idempotency-Key`, so that a repeated call creates no second invoice. An account has at most 20 open invoices; an unpaid one closes after an hour. `receipt_email` is where the fiscal receipt goes; a shop whose method registers receipts (`needed_for` of `receipt_email`) needs it when the account has no e-mail. It is kept for later orders. `save_consent` is the `sha256` of the consent in `get_top_ups`: the payment method is saved for automatic top-up; not with an API token.',
      ru: 'Возвращает адрес страницы оплаты текстом; номер счёта — в заголовке `x-invoice-id`. Цена закрепляется в счёте. Отправляйте `Idempotency-Key`, чтобы повторный вызов не создал второй счёт. У аккаунта может быть не больше 20 открытых счетов; неоплаченный закрывается через час. `receipt_email` — куда отправить чек. Если магазин регистрирует чеки для этого способа оплаты (`needed_for` из `receipt_email`), а у аккаунта нет почты, адрес обязателен. Он запоминается для следующих заказов. `save_consent` — `sha256` согласия из `get_top_ups`: способ оплаты сохранится для автопополнения; с токеном API недоступно.',
    },
    input: {
      payment_method: 'crypto',
      amount: 100,
      promocode: null,
      pool: 'residential',
      receipt_email: 'ivan@example.com',
    },
    output: 'https://pay.example.net/i/9f3c1a',
    refuses: [
      'invalid_amount',
      'amount_too_large',
      'amount_too_small',
      ...discountRefusals,
      'too_many_attempts',
      'invalid_payment_method',
      'payment_method_unavailable',
      'too_many_open_invoices',
      'receipt_email_required',
      'invalid_receipt_email',
      'payment_failed',
      'top_up_unavailable',
      'consent_outdated',
      'too_many_saved_methods',
    ],
  },
  display_currency: {
    tag: 'Buying',
    summary: { en: 'The currency in which you see prices', ru: 'Валюта, в которой вы видите цены' },
    about: {
      en: 'Null: none was chosen. The currencies on offer and their rates are in `currencies` of `site`; one that is no longer there counts as USD. Invoices keep the amount and the rate of the time they were made (`shown`); what is charged does not depend on it.',
      ru: 'null: не выбрана. Валюты и их курсы — в `currencies` вызова `site`; той, которой там больше нет, соответствует USD. Счёт хранит сумму и курс того времени, когда он создан (`shown`); на списание она не влияет.',
    },
    input: {},
    output: { currency: 'EUR' },
    refuses: [],
  },
  set_display_currency: {
    tag: 'Buying',
    summary: {
      en: 'Choose the currency in which you see prices',
      ru: 'Выбрать валюту, в которой вы видите цены',
    },
    input: { currency: 'EUR' },
    output: { currency: 'EUR' },
    refuses: ['unknown_currency'],
  },
  receipt_email: {
    tag: 'Buying',
    summary: { en: 'Where your fiscal receipts go', ru: 'Куда приходят чеки' },
    about: {
      en: '`is_own`: the address was given for receipts only; otherwise it is the e-mail of the account. `needed_for` has the payment methods that need an address.',
      ru: '`is_own`: адрес указан только для чеков, иначе это почта аккаунта. `needed_for` — способы оплаты, для которых адрес нужен.',
    },
    input: {},
    output: { email: 'ivan@example.com', is_own: true, needed_for: ['yookassa'] },
    refuses: [],
  },
  set_receipt_email: {
    tag: 'Buying',
    summary: { en: 'Change where your fiscal receipts go', ru: 'Изменить адрес для чеков' },
    about: {
      en: 'Null: to the e-mail of the account. Nobody can sign in with this address.',
      ru: 'Null — на почту аккаунта. Войти с этим адресом нельзя.',
    },
    input: { email: 'ivan@example.com' },
    output: { email: 'ivan@example.com', is_own: true, needed_for: ['yookassa'] },
    refuses: ['invalid_receipt_email'],
  },
  referral_payment: {
    tag: 'Buying',
    summary: { en: 'Buy traffic from the referral balance', ru: 'Купить трафик с реферального баланса' },
    about: {
      en: 'The traffic is credited before the call answers. Send an `Idempotency-Key`.',
      ru: 'Трафик зачисляется ещё до ответа. Отправляйте `Idempotency-Key`.',
    },
    input: { amount: 10, promocode: null, pool: 'residential' },
    output: { ok: true },
    refuses: [
      'invalid_amount',
      'amount_too_large',
      'amount_too_small',
      ...discountRefusals,
      'too_many_attempts',
      'insufficient_referral_balance',
    ],
  },
  invoices: {
    tag: 'Buying',
    summary: {
      en: `Your invoices, newest first, ${listedInvoices} at a time`,
      ru: `Ваши счета, сначала новые, по ${listedInvoices}`,
    },
    about: {
      en: 'With `before`, the number of an invoice, those made before it: give that of the last one to read on. `credited` is the traffic credited for an invoice. A partly paid invoice is `underpaid` and credited in part. `receipts` are fiscal receipts, which are registered some time after the payment.',
      ru: 'С `before`, номером счёта, — созданные раньше него: чтобы читать дальше, передайте номер последнего. `credited` — трафик, зачисленный по счёту. Счёт, оплаченный частично, имеет состояние `underpaid`, и трафик зачислен частично. `receipts` — чеки; они регистрируются через некоторое время после оплаты.',
    },
    input: {},
    output: [paidInvoice],
    refuses: ['invoice_not_found'],
  },
  invoice: {
    tag: 'Buying',
    summary: { en: 'One invoice by its number', ru: 'Один счёт по номеру' },
    about: {
      en: 'Read it until its `state` is no longer `pending` to learn when it is paid.',
      ru: 'Повторяйте вызов, пока `state` равно `pending`, чтобы узнать об оплате.',
    },
    input: { number: paidInvoice.number },
    output: paidInvoice,
    refuses: ['invoice_not_found'],
  },
  invoice_documents: {
    tag: 'Buying',
    summary: { en: 'The documents of an invoice', ru: 'Документы счёта' },
    about: {
      en: 'Invoices and credit notes in PDF. A document is made within seconds of the payment or refund, once, and never changes. An invoice that is paid in part gets its document with the rest of the money, or after three days.',
      ru: 'Счета и корректировочные документы в PDF. Документ создаётся один раз, через несколько секунд после оплаты или возврата, и больше не меняется. Счёт, оплаченный частично, получает документ вместе с остатком денег или через три дня.',
    },
    input: { number: paidInvoice.number },
    output: [
      {
        id: '512',
        kind: 'invoice',
        number: '000123',
        specimen: false,
        amount_usd: 315,
        issued_at: '2026-11-20T10:02:32.000Z',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
    refuses: ['invoice_not_found'],
  },
  invoice_document: {
    tag: 'Buying',
    summary: { en: 'A document as PDF', ru: 'Документ в PDF' },
    about: { en: '`id` is that of `invoice_documents`.', ru: '`id` — из `invoice_documents`.' },
    input: { number: paidInvoice.number, id: '512' },
    output: null,
    refuses: ['invoice_not_found', 'document_not_found'],
  },
  buyer_details: {
    tag: 'Buying',
    summary: { en: 'What documents say of the buyer', ru: 'Что в документах сказано о покупателе' },
    about: {
      en: 'Empty texts: nothing was entered, and documents name the account.',
      ru: 'Пустые тексты: ничего не указано, и в документах стоит имя аккаунта.',
    },
    input: {},
    output: {
      name: 'Petrova Research GmbH',
      address: 'Lindenstraße 12, 10969 Berlin',
      tax_id: 'DE123456789',
    },
    refuses: [],
  },
  set_buyer_details: {
    tag: 'Buying',
    summary: {
      en: 'Change what documents say of the buyer',
      ru: 'Изменить сведения о покупателе в документах',
    },
    about: {
      en: 'For documents that are made from then on. All texts empty removes the details.',
      ru: 'Для документов, которые будут созданы после этого. Если все тексты пустые, сведения удаляются.',
    },
    input: { name: 'Petrova Research GmbH', address: 'Lindenstraße 12, 10969 Berlin', tax_id: 'DE123456789' },
    output: {
      name: 'Petrova Research GmbH',
      address: 'Lindenstraße 12, 10969 Berlin',
      tax_id: 'DE123456789',
    },
    refuses: ['buyer_name_missing', 'buyer_details_letters'],
  },
  activate_traffic_promocode: {
    tag: 'Buying',
    summary: { en: 'Redeem a code for bonus traffic', ru: 'Активировать код на бонусный трафик' },
    about: {
      en: 'Bonus traffic is spent before paid traffic. Each customer can redeem a code once, unless the shop allows more.',
      ru: 'Бонусный трафик тратится раньше оплаченного. Каждый клиент активирует код один раз, если магазин не разрешил больше.',
    },
    input: { code: 'WELCOME' },
    output: { pool: 'residential', traffic: 500 },
    refuses: ['promocode_invalid', 'promocode_used', 'too_many_attempts'],
  },
} as const satisfies { [N in Name]?: Description<N> }
