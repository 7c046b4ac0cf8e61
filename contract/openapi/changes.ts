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
        en: 'Every call that changes something accepts an `Idempotency-Key`.',
        ru: 'Каждый вызов, который что-то меняет, принимает `Idempotency-Key`.',
      },
      {
        en: '`give_proxy_user` and `take_proxy_user` add to what a proxy user may use and take from it. A proxy user made with `reserved` has traffic of its own.',
        ru: '`give_proxy_user` и `take_proxy_user` прибавляют прокси-пользователю трафик и забирают его. У созданного с `reserved` трафик свой.',
      },
      {
        en: '`freeze_proxy_users`, `delete_proxy_users` and `proxy_users_lines` act on up to 1,000 proxy users, listed by number, login, external id or label, or chosen by a filter. `get_proxy_user` finds one.',
        ru: '`freeze_proxy_users`, `delete_proxy_users` и `proxy_users_lines` действуют сразу на 1000 прокси-пользователей: по номерам, логинам, внешним номерам, названиям или по фильтру. `get_proxy_user` находит одного.',
      },
      {
        en: 'A proxy user has `metadata`, by which lists are filtered; its `login` and `password` may be chosen, and `set_proxy_login_prefix` sets how new logins begin. Logins may have dots.',
        ru: 'У прокси-пользователя есть `metadata`, по которым фильтруются списки; `login` и `password` можно выбрать, а `set_proxy_login_prefix` задаёт начало новых логинов. В логинах бывают точки.',
      },
      {
        en: 'Deleted proxy users keep their names: `get_proxy_users` lists them with `state` `deleted`, and usage and requests name them.',
        ru: 'Удалённые прокси-пользователи сохраняют названия: `get_proxy_users` показывает их по `state` `deleted`, а расход и запросы называют их.',
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
