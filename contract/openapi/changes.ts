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
        en: 'The JSON of `get_proxy` has `multiplier` and `payload_bytes`: how many times each byte is charged, and what the traffic left is worth with these lines. The text has them in headers.',
        ru: 'В JSON вызова `get_proxy` есть `multiplier` и `payload_bytes`: сколько раз списывается каждый байт и на сколько данных через эти строки хватит остатка. При ответе текстом они в заголовках.',
      },
      {
        en: '`set_proxy_login_prefix` refuses a prefix with which the login of another customer’s proxy user begins.',
        ru: '`set_proxy_login_prefix` отказывает, если с этого начинается логин чужого пользователя прокси.',
      },
      {
        en: 'A shop may stop offering a payment method: `payment_systems` no longer lists it, and an order by it is refused with `payment_method_not_offered`. Open invoices are credited when they are paid.',
        ru: 'Магазин может перестать предлагать способ оплаты: его больше нет в `payment_systems`, а заказ получает отказ `payment_method_not_offered`. Открытые счета после оплаты зачисляются.',
      },
      {
        en: 'Every call that changes something accepts an `Idempotency-Key`.',
        ru: 'Каждый вызов, который что-то меняет, принимает `Idempotency-Key`.',
      },
      {
        en: '`give_proxy_user` and `take_proxy_user` add to what a proxy user may use and take from it. A proxy user made with `reserved` has traffic of its own.',
        ru: '`give_proxy_user` и `take_proxy_user` прибавляют пользователю прокси трафик и забирают его. У созданного с `reserved` трафик свой.',
      },
      {
        en: '`end_connections` ends open connections of the account or of a proxy user: all, those of a sticky session, which then takes another exit, or one. The `outcome` of their records is `ended`.',
        ru: '`end_connections` завершает открытые соединения аккаунта или пользователя прокси: все, соединения липкой сессии, которая потом выходит через другой узел, или одно. `outcome` в их записях — `ended`.',
      },
      {
        en: 'A proxy user has `denied_countries` and `no_double_tariff`. `get_proxy` refuses lines that it could not use.',
        ru: 'У пользователя прокси есть `denied_countries` и `no_double_tariff`. `get_proxy` отказывает строкам, которые ему не подойдут.',
      },
      {
        en: '`add_proxy_user_to_pool` lets the login of a proxy user be used in another pool, within limits of its own there.',
        ru: '`add_proxy_user_to_pool` разрешает логину пользователя прокси другой пул, со своими лимитами в нём.',
      },
      {
        en: '`add_ip_to_whitelist` takes `proxy_user`: a client at that address needs no login and password, and its traffic is that of the proxy user. `get_whitelist_entries` tells it; `get_whitelist_ips` has the addresses of the account alone.',
        ru: '`add_ip_to_whitelist` принимает `proxy_user`: клиенту с этого адреса не нужны логин и пароль, а трафик считается за пользователем прокси. `get_whitelist_entries` его называет; в `get_whitelist_ips` только адреса самого аккаунта.',
      },
      {
        en: '`freeze_proxy_users`, `delete_proxy_users` and `proxy_users_lines` act on up to 1,000 proxy users, listed by number, login, external id or label, or chosen by a filter. `get_proxy_user` finds one.',
        ru: '`freeze_proxy_users`, `delete_proxy_users` и `proxy_users_lines` действуют сразу на 1000 пользователей прокси: по номерам, логинам, внешним номерам, названиям или по фильтру. `get_proxy_user` находит одного.',
      },
      {
        en: 'A proxy user has `metadata`, by which lists are filtered; its `login` and `password` may be chosen, and `set_proxy_login_prefix` sets how new logins begin. Logins may have dots.',
        ru: 'У пользователя прокси есть `metadata`, по которым фильтруются списки; `login` и `password` можно выбрать, а `set_proxy_login_prefix` задаёт начало новых логинов. В логинах бывают точки.',
      },
      {
        en: 'Deleted proxy users keep their names: `get_proxy_users` lists them with `state` `deleted`, and usage and requests name them.',
        ru: 'Удалённые пользователи прокси сохраняют названия: `get_proxy_users` показывает их по `state` `deleted`, а расход и запросы называют их.',
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
