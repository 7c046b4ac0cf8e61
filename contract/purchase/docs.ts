import { type Answer, documents } from '../docs.ts'
import { listedInvoices } from '../invoices.ts'
import { discountRefusals } from '../promo/docs.ts'
import type { purchaseSchemas } from './schemas.ts'

const paidInvoice: Answer<typeof purchaseSchemas.invoice> = {
  number: '9f3c1a0d5e7b2468ace0',
  short_number: '2026-000123',
  pool: 'residential',
  gb: 100,
  payload_gb: { plain: 100, targeted: 50 },
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

export const purchaseDocs = documents<typeof purchaseSchemas>()({
  payment_systems: {
    tag: 'Buying',
    summary: { en: 'Payment methods', ru: 'Способы оплаты' },
    about: {
      en: 'Descriptions are HTML written by the operator. `title` is what the operator calls the method; null: use a name of your own. `unavailable` is there when the method cannot be used at present, and says why. `least_usd` is the least that an order by the method costs; absent: there is no such bound.',
      ru: 'Описания — HTML, который написал владелец магазина. `title` — как он называет способ оплаты; null — назовите его сами. `unavailable` есть, когда способом сейчас нельзя пользоваться, и говорит почему. `least_usd` — наименьшая стоимость заказа для этого способа; нет — значит, предела нет.',
    },
    input: {},
    output: [{ name: 'crypto', title: null, description: 'Bitcoin and Lightning', least_usd: 1 }],
    refuses: [],
  },
  create_invoice_web: {
    tag: 'Buying',
    summary: { en: 'Create an invoice', ru: 'Выставить счёт' },
    about: {
      en: 'Returns the URL of the payment page as text; the header `x-invoice-id` has the number of the invoice. With `Accept: application/json` it returns the invoice, as `invoice` does, and `pay_to`: the addresses of the payment method with the amounts in their currency, where it tells them. The price is fixed in the invoice. Send an `Idempotency-Key`, so that a repeated call creates no second invoice. An account has at most 20 open invoices; an unpaid one closes after an hour. `receipt_email` is where the fiscal receipt goes; a shop whose method registers receipts (`needed_for` of `receipt_email`) needs it when the account has no e-mail. It is kept for later orders. `save_consent` is the `sha256` of the consent in `get_top_ups`: the payment method is saved for automatic top-up; not with an API token.',
      ru: 'Возвращает адрес страницы оплаты текстом; номер счёта — в заголовке `x-invoice-id`. С `Accept: application/json` возвращает сам счёт, как `invoice`, и `pay_to` — адреса способа оплаты с суммами в их валюте, если он их сообщает. Цена закрепляется в счёте. Отправляйте `Idempotency-Key`, чтобы повторный вызов не создал второй счёт. У аккаунта может быть не больше 20 открытых счетов; неоплаченный закрывается через час. `receipt_email` — куда отправить чек. Если магазин регистрирует чеки для этого способа оплаты (`needed_for` из `receipt_email`), а у аккаунта нет почты, адрес обязателен. Он запоминается для следующих заказов. `save_consent` — `sha256` согласия из `get_top_ups`: способ оплаты сохранится для автопополнения; с токеном API недоступно.',
    },
    input: {
      payment_method: 'crypto',
      amount: 100,
      promocode: null,
      pool: 'residential',
      receipt_email: 'ivan@example.com',
    },
    output: 'https://pay.example.net/i/9f3c1a',
    json: {
      ...paidInvoice,
      state: 'pending',
      received_usd: 0,
      credited: 0,
      settled_at: null,
      payment_url: 'https://pay.example.net/i/9f3c1a',
      receipts: [],
      pay_to: [
        {
          network: 'BTC-CHAIN',
          currency: 'BTC',
          address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
          amount: '0.00412345',
          link: 'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.00412345',
        },
      ],
    },
    refuses: [
      'invalid_amount',
      'amount_too_large',
      'amount_too_small',
      'amount_below_method',
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
      en: 'Read it until its `state` is no longer `pending` to learn when it is paid. `gb` is what is charged to the balance; `payload_gb` is the payload it is good for, all of it or, for lines that name a state, city, zip code or ASN, half.',
      ru: 'Повторяйте вызов, пока `state` равно `pending`, чтобы узнать об оплате. `gb` — сколько спишется с баланса, `payload_gb` — сколько это полезного трафика: столько же или, если в строке есть регион, город, индекс или ASN, половина.',
    },
    input: { number: paidInvoice.number },
    output: paidInvoice,
    refuses: ['invoice_not_found'],
  },
})
