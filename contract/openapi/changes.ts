/** Changes of the API that programs may notice, by day, the newest first: for /docs and the document. */
import type { Texts } from '../docs.ts'

interface Change {
  /** YYYY-MM-DD. */
  on: string
  what: readonly Texts[]
}

export const apiChanges: readonly [Change, ...Change[]] = [
  {
    on: '2026-11-28',
    what: [
      {
        en: '`buy` buys traffic from the money balance without a payment page; `create_balance_invoice` tops it up, `money_balance` reads it. An invoice of a top-up has the pool `balance` and 0 GB.',
        ru: '`buy` покупает трафик с денежного баланса без страницы оплаты; `create_balance_invoice` пополняет его, `money_balance` показывает. У счёта на пополнение пул `balance` и 0 ГБ.',
      },
      {
        en: 'Every call that changes something accepts an `Idempotency-Key`.',
        ru: 'Каждый вызов, который что-то меняет, принимает `Idempotency-Key`.',
      },
      {
        en: '`give_proxy_user` and `take_proxy_user` add to what a proxy user may use and take from it. A proxy user made with `reserved` has traffic of its own.',
        ru: '`give_proxy_user` и `take_proxy_user` прибавляют прокси-пользователю трафик и забирают его. У созданного с `reserved` трафик свой.',
      },
      {
        en: '`get_proxy` and `create_invoice_web` answer with JSON by `Accept: application/json`; text stays the default. The JSON of an order has the address and amount of its cryptocurrency.',
        ru: '`get_proxy` и `create_invoice_web` по `Accept: application/json` отвечают JSON; по умолчанию, как и раньше, приходит текст. В JSON заказа есть адрес и сумма в криптовалюте.',
      },
      {
        en: 'The headers `ratelimit-policy` and `ratelimit` tell all limits in every answer.',
        ru: 'Заголовки `ratelimit-policy` и `ratelimit` в каждом ответе говорят обо всех пределах.',
      },
      {
        en: '`details` of `user_label_taken` and `user_external_id_taken` tell the position in `users` of `create_proxy_users`.',
        ru: '`details` отказов `user_label_taken` и `user_external_id_taken` называют место в `users` вызова `create_proxy_users`.',
      },
      {
        en: '`outcome` of a request that the gateway refused for a limit, the balance or a rule is `refused`, not `target_failed`.',
        ru: '`outcome` запроса, которому шлюз отказал из-за лимита, баланса или правила, — `refused`, а не `target_failed`.',
      },
      {
        en: 'The OpenAPI document names the schemas of answers, and has the codes of refusals as enums.',
        ru: 'В документе OpenAPI у схем ответов есть имена, а коды отказов перечислены.',
      },
    ],
  },
]
