import { type Answer, documents } from '../docs.ts'
import type { topUpSchemas } from './schemas.ts'

const sample: Answer<typeof topUpSchemas.get_top_ups> = {
  methods: ['card'],
  save_consent: {
    text: 'I allow the payment processor to save the payment method of this invoice for automatic top-up. …',
    sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  },
  saving: false,
  saved: [
    {
      id: '7',
      method: 'card',
      brand: 'Visa',
      last4: '4242',
      expires: '2030-12',
      saved_at: '2026-11-20T10:03:00.000Z',
    },
  ],
  pools: [
    {
      pool: 'residential',
      on: true,
      off_reason: null,
      method_id: '7',
      below_bytes: 2_000_000_000,
      gb: 10,
      month_usd: 150,
      charged_usd: 35,
      most: { currency: 'USD', amount: 35 },
      not_before: null,
      last: {
        made_at: '2026-11-21T04:11:00.000Z',
        state: 'succeeded',
        reason: null,
        invoice: '9f3c1a0d5e7b2468ace0',
        price: { currency: 'USD', amount: 35 },
        card: 'Visa •• 4242',
        payment_url: null,
      },
    },
  ],
}

const about = {
  en: '`saved` has the payment methods that were saved with an order (`save_consent` of `create_invoice_web`), `pools` what is set: when less than `below_bytes` is left, `gb` is bought from the method `method_id`; charges of a calendar month (UTC) cost at most `month_usd` together, and one takes at most `most`. `last` is the last charge; while its state is `awaiting_customer`, the bank asks for the customer, who pays on `payment_url`.',
  ru: '`saved` — способы оплаты, сохранённые при заказе (`save_consent` в `create_invoice_web`), `pools` — что настроено: когда осталось меньше `below_bytes`, покупается `gb` со способа оплаты `method_id`; списания за календарный месяц (UTC) вместе не превышают `month_usd`, а одно — `most`. `last` — последнее списание; пока его состояние `awaiting_customer`, банк ждёт подтверждения, и клиент платит на `payment_url`.',
}

export const topUpDocs = documents<typeof topUpSchemas>()({
  get_top_ups: {
    tag: 'Buying',
    summary: {
      en: 'Saved payment methods and automatic top-up',
      ru: 'Сохранённые способы оплаты и автопополнение',
    },
    about: {
      en: `${about.en} \`methods\` has the payment methods that can be saved; in a shop without automatic top-up it is empty.`,
      ru: `${about.ru} \`methods\` — способы оплаты, которые можно сохранить; в магазине без автопополнения список пуст.`,
    },
    input: {},
    output: sample,
    refuses: [],
  },
  top_up_consent: {
    tag: 'Buying',
    summary: {
      en: 'What a customer agrees to when they switch automatic top-up on',
      ru: 'С чем соглашается клиент, включая автопополнение',
    },
    about: {
      en: 'The text, in the language of the request, at present prices. `sha256` is sent to `set_top_up` by who agrees. `charges_now`: less than the threshold is left, so that the first charge is made at once.',
      ru: 'Текст на языке запроса, по нынешним ценам. Кто соглашается, отправляет `sha256` в `set_top_up`. `charges_now`: трафика уже меньше порога, и первое списание произойдёт сразу.',
    },
    input: { pool: 'residential', method_id: '7', below_bytes: 2_000_000_000, gb: 10, month_usd: 150 },
    output: {
      text: 'I authorize automatic charges to “Visa •• 4242”: …',
      sha256: 'fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9',
      cost_usd: 35,
      price: { currency: 'USD', amount: 35 },
      most: { currency: 'USD', amount: 35 },
      charges_now: false,
    },
    refuses: [
      'saved_method_not_found',
      'top_up_unavailable',
      'top_up_too_small',
      'top_up_bound_too_low',
      'invalid_byte_cap',
      'amount_too_large',
    ],
  },
  set_top_up: {
    tag: 'Buying',
    summary: { en: 'Switch automatic top-up of a pool on', ru: 'Включить автопополнение пула' },
    about: {
      en: 'Takes the input of `top_up_consent` and, as `consent`, the `sha256` of its answer: `consent_outdated` when the text has changed since. Replaces what was set for the pool. Not with an API token.',
      ru: 'Принимает поля `top_up_consent` и в `consent` — `sha256` из его ответа; если текст с тех пор изменился — `consent_outdated`. Заменяет прежние настройки пула. С токеном API недоступно.',
    },
    input: {
      pool: 'residential',
      method_id: '7',
      below_bytes: 2_000_000_000,
      gb: 10,
      month_usd: 150,
      consent: 'fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9',
    },
    output: sample,
    refuses: [
      'consent_outdated',
      'saved_method_not_found',
      'top_up_unavailable',
      'top_up_too_small',
      'top_up_bound_too_low',
      'invalid_byte_cap',
      'amount_too_large',
    ],
  },
  switch_off_top_up: {
    tag: 'Buying',
    summary: { en: 'Switch automatic top-up of a pool off', ru: 'Выключить автопополнение пула' },
    about: {
      en: 'Nothing is charged afterwards. It succeeds when it is off already.',
      ru: 'После этого ничего не списывается. Успешно и тогда, когда автопополнение уже выключено.',
    },
    input: { pool: 'residential' },
    output: sample,
    refuses: [],
  },
  remove_saved_method: {
    tag: 'Buying',
    summary: { en: 'Remove a saved payment method', ru: 'Удалить сохранённый способ оплаты' },
    about: {
      en: 'Deletes it at once and switches off what is charged with it, whatever state the payment processor is in. Not with an API token.',
      ru: 'Удаляет его сразу и выключает всё, что с него списывается, в каком бы состоянии ни была платёжная система. С токеном API недоступно.',
    },
    input: { id: '7' },
    output: sample,
    refuses: ['saved_method_not_found'],
  },
})
