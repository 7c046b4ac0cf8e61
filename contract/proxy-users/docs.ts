import { type Answer, documents } from '../docs.ts'
import type { usersSchemas } from './schemas.ts'

const about = {
  en: 'A proxy user is a login with a password and limits of its own that you give to another person. It uses the traffic of your account in this pool, and never more than its limits: `total_bytes` in all, `day_bytes` and `month_bytes` per day and month of the shop’s time zone. It may be used until `expires_at`, for `allowed_hosts`, through exits in `countries` and in none of `denied_countries`, by clients at `addresses`, with so many `connections` at a time. With `no_double_tariff`, lines of states, cities, zip codes or included ASNs, of which each byte is charged twice, are refused (`user_double_tariff`). The limits of the pool’s password apply to all of its proxy users together with it. A proxy user made with `reserved` has traffic of its own: `total_bytes` are taken from the free traffic of the account when it is made and by `give_proxy_user`, nobody else can use them, and what is left returns with `take_proxy_user` and when it is deleted. Changes take effect on all gateways within two seconds, on open connections too. Gateways answer 402 `user_limit_reached`, 403 `user_frozen`, `user_expired`, `user_address_denied`, `user_country_denied` and `target_denied`, 429 `too_many_connections`.',
  ru: 'Пользователь прокси — логин с собственным паролем и собственными лимитами, который вы даёте другому. Он тратит трафик вашего аккаунта в этом пуле и никогда не больше своих лимитов: `total_bytes` всего, `day_bytes` и `month_bytes` за день и месяц в часовом поясе магазина. Им можно пользоваться до `expires_at`, для сайтов из `allowed_hosts`, через страны из `countries`, но не из `denied_countries`, с адресов из `addresses`, с не более чем `connections` соединениями сразу. С `no_double_tariff` строкам с регионами, городами, индексами или включёнными ASN, где каждый байт списывается дважды, отказывают (`user_double_tariff`). Лимиты пула действуют на всех его пользователей вместе с ним. У созданного с `reserved` трафик свой: `total_bytes` берутся из свободного трафика аккаунта при создании и вызовом `give_proxy_user`, никто другой их потратить не может, а остаток возвращается вызовом `take_proxy_user` и при удалении. Изменения доходят до всех шлюзов за две секунды, и для открытых соединений тоже. Шлюз отвечает 402 `user_limit_reached`, 403 `user_frozen`, `user_expired`, `user_address_denied`, `user_country_denied` и `target_denied`, 429 `too_many_connections`.',
}

const user = {
  number: 1,
  label: 'Scraper in Berlin',
  external_id: 'client-4711',
  login: 'u4k2m9xbcdfg',
  password: 'Jc7wQ2nTz5KpXa9d',
  frozen: false,
  deleted_at: null,
  reserved: false,
  created_at: '2026-11-02T09:30:00.000Z',
  total_bytes: 10_000_000_000,
  day_bytes: null,
  month_bytes: null,
  connections: 20,
  expires_at: null,
  allowed_hosts: ['*.example.com'],
  countries: ['de'],
  denied_countries: [],
  no_double_tariff: false,
  addresses: ['203.0.113.0/24'],
  metadata: { plan: 'basic' },
  used: {
    total_bytes: 1_250_000_000,
    day_bytes: 250_000_000,
    month_bytes: 1_250_000_000,
    requests: 3021,
    last_at: '2026-11-20T14:05:11.000Z',
  },
} satisfies Answer<typeof usersSchemas.create_proxy_user>

const { password: _, ...changedUser } = user

const limitsRefused = [
  'invalid_user_limit',
  'invalid_connections',
  'invalid_expires_at',
  'invalid_host_pattern',
  'too_many_hosts',
  'unknown_location',
  'country_allowed_and_denied',
  'invalid_client_address',
] as const

const settingsRefused = [
  ...limitsRefused,
  'invalid_label',
  'user_label_taken',
  'invalid_external_id',
  'user_external_id_taken',
  'invalid_metadata',
  'invalid_user_login',
  'user_login_taken',
  'invalid_user_password',
] as const

const one = { pool: 'residential', number: 1 } as const

export const usersDocs = documents<typeof usersSchemas>()({
  get_proxy_users: {
    tag: 'Proxies',
    summary: { en: 'List the proxy users of a pool', ru: 'Пользователи прокси пула' },
    about: {
      en: `${about.en} A page has up to \`limit\` of them, in the order in which they were made; \`after\` is the \`next_after\` of the page before, which is \`null\` at the end. \`number\`, \`login\`, \`label\` and \`external_id\` find one, and \`metadata\` those with this key and value. \`state\` keeps those in that state; with \`deleted\` deleted ones are listed, whose names and figures stay until the account is erased. A page with \`state\` may have fewer, or none, before the end. Passwords are answered only with \`passwords\`.`,
      ru: `${about.ru} На странице до \`limit\` из них, в порядке создания; \`after\` — это \`next_after\` прошлой страницы, в конце там \`null\`. По \`number\`, \`login\`, \`label\` и \`external_id\` находится один, по \`metadata\` — те, у кого есть такой ключ с таким значением. \`state\` оставляет только тех, кто в этом состоянии; \`deleted\` показывает удалённых: их названия и расход хранятся, пока не стёрт аккаунт. На странице с \`state\` может быть меньше записей или ни одной ещё до конца. Пароли приходят, только если указать \`passwords\`.`,
    },
    input: { pool: 'residential', limit: 50, passwords: true },
    output: { users: [user], count: 1, most: 1000, login_prefix: null, next_after: null, time_zone: 'UTC' },
    refuses: ['no_subuser', 'invalid_external_id', 'invalid_metadata'],
  },
  get_proxy_user: {
    tag: 'Proxies',
    summary: { en: 'Find one proxy user', ru: 'Найти одного пользователя прокси' },
    about: {
      en: 'By `number`, `login`, `external_id` or `label`, exactly one of them. A deleted one is found when no other has the name; its `password` is `null`. `changes` are the last 100 amounts given to it, and taken from it with a minus, the newest first.',
      ru: 'По `number`, `login`, `external_id` или `label` — ровно по одному из них. Удалённый находится, если такого имени нет ни у кого другого; `password` у него `null`. `changes` — последние 100 выданных и забранных (с минусом) объёмов, сначала новые.',
    },
    input: { pool: 'residential', external_id: 'client-4711' },
    output: { ...user, changes: [{ at: '2026-11-02T09:30:00.000Z', bytes: 5_000_000_000 }] },
    refuses: ['no_subuser', 'user_not_found', 'invalid_external_id', 'invalid_user_choice'],
  },
  set_proxy_login_prefix: {
    tag: 'Proxies',
    summary: {
      en: 'Set the prefix of proxy users’ logins',
      ru: 'Задать начало логинов пользователей прокси',
    },
    about: {
      en: 'With the prefix `acme`, new proxy users get logins such as `acme.k2m9xbcdfgh`, in all pools, and no other customer can choose logins that begin with `acme.`. A prefix is refused while another customer has it, or has a proxy user whose login begins with it. Logins that exist stay. `null` removes it.',
      ru: 'С началом `acme` новые пользователи прокси во всех пулах получают логины вида `acme.k2m9xbcdfgh`, и никто другой не может выбрать логин, который начинается с `acme.`. Начало не получить, пока оно занято другим клиентом или с него начинается логин чужого пользователя прокси. Прежние логины остаются. `null` убирает его.',
    },
    input: { prefix: 'acme' },
    output: true,
    refuses: ['no_subuser', 'invalid_login_prefix', 'login_prefix_taken'],
  },
  create_proxy_user: {
    tag: 'Proxies',
    summary: { en: 'Make a proxy user', ru: 'Создать пользователя прокси' },
    about: {
      en: `${about.en} Omitted settings do not limit it. \`details\` of a name that exists tell \`number\`, \`login\`, \`label\` and \`pool\` of the one that has it. \`login\` and \`password\` may be chosen: a login needs a dot, and is never used again in the shop.`,
      ru: `${about.ru} Пропущенные настройки его не ограничивают. \`details\` отказа на занятое имя — \`number\`, \`login\`, \`label\` и \`pool\` того, у кого оно есть. \`login\` и \`password\` можно выбрать самому: в логине должна быть точка, и заново он в магазине не выдаётся.`,
    },
    input: {
      pool: 'residential',
      label: 'Scraper in Berlin',
      total_bytes: 10_000_000_000,
      connections: 20,
      allowed_hosts: ['*.example.com'],
      countries: ['de'],
      addresses: ['203.0.113.0/24'],
    },
    output: user,
    refuses: ['no_subuser', 'too_many_users', 'reserve_not_covered', ...settingsRefused],
  },
  create_proxy_users: {
    tag: 'Proxies',
    summary: { en: 'Make many proxy users', ru: 'Создать много пользователей прокси' },
    about: {
      en: 'Up to 1,000 at once, all or none, in the order of the input; each field means what it means for one. `details` of a name that exists tell `index`, the position in `users`, and `number`, `login`, `label` and `pool` of the one that has it; of a name that this call gives twice, `index` and `same_as_index`.',
      ru: 'До 1000 за один вызов: либо все, либо никто, в порядке входных данных; поля значат то же, что и для одного. `details` отказа на занятое имя — `index`, место в `users`, и `number`, `login`, `label` и `pool` того, у кого оно есть; на имя, которое этот же вызов даёт дважды, — `index` и `same_as_index`.',
    },
    input: { pool: 'residential', users: [{ label: 'Scraper in Berlin', external_id: 'client-4711' }] },
    output: { users: [user] },
    refuses: ['no_subuser', 'too_many_users', 'reserve_not_covered', ...settingsRefused],
  },
  add_proxy_user_to_pool: {
    tag: 'Proxies',
    summary: {
      en: 'Let a proxy user use another pool',
      ru: 'Разрешить пользователю прокси другой пул',
    },
    about: {
      en: 'The login and password of a proxy user work in the pool `to` as well: the port tells the pools apart. It gets a number, limits and usage of its own there, and uses the traffic of that pool. Login, password, `label`, `external_id`, `metadata` and whether it is frozen are the same in all of its pools, and calls that change them do so in all of them; everything else is changed, given, taken and deleted in each pool by itself. `get_proxy_users` finds it in a pool by `login` or `external_id`; `get_usage` by user adds up its pools.',
      ru: 'Логин и пароль пользователя прокси начинают работать и в пуле `to`: пулы различает порт. Там у него свой номер, свои лимиты и статистика, и тратит он трафик того пула. Логин, пароль, `label`, `external_id`, `metadata` и заморозка общие для всех его пулов: вызов меняет их сразу везде; всё остальное меняют, добавляют, забирают и удаляют в каждом пуле отдельно. `get_proxy_users` находит его в пуле по `login` или `external_id`; `get_usage` по пользователям складывает его пулы.',
    },
    input: { ...one, to: 'mobile', total_bytes: 5_000_000_000 },
    output: { ...user, number: 3, total_bytes: 5_000_000_000 },
    refuses: [
      'no_subuser',
      'user_not_found',
      'user_in_pool',
      'proxy_password_unreadable',
      'too_many_users',
      'reserve_not_covered',
      ...limitsRefused,
      'user_label_taken',
    ],
  },
  change_proxy_user: {
    tag: 'Proxies',
    summary: { en: 'Change a proxy user', ru: 'Изменить пользователя прокси' },
    about: {
      en: `${about.en} Omitted fields stay unchanged; \`null\` removes a limit, and \`metadata\` is replaced as a whole. Connections with an old \`login\` or \`password\` are cut.`,
      ru: `${about.ru} Пропущенные поля не меняются; \`null\` снимает лимит, а \`metadata\` заменяются целиком. Соединения со старым \`login\` или \`password\` обрываются.`,
    },
    input: { ...one, day_bytes: 1_000_000_000 },
    output: user,
    refuses: ['no_subuser', 'user_not_found', 'user_is_reserved', ...settingsRefused],
  },
  freeze_proxy_user: {
    tag: 'Proxies',
    summary: {
      en: 'Freeze a proxy user, or free it again',
      ru: 'Заморозить пользователя прокси или разморозить',
    },
    about: {
      en: 'A frozen one is refused, and its open connections are cut within two seconds.',
      ru: 'Замороженному отказывают, а его открытые соединения обрываются за две секунды.',
    },
    input: { ...one, frozen: true },
    output: { ...user, frozen: true },
    refuses: ['no_subuser', 'user_not_found'],
  },
  renew_proxy_user_password: {
    tag: 'Proxies',
    summary: { en: 'Set a new password of a proxy user', ru: 'Новый пароль пользователя прокси' },
    about: {
      en: 'The old one becomes invalid at once, and connections with it are cut.',
      ru: 'Старый перестаёт действовать сразу, соединения с ним обрываются.',
    },
    input: one,
    output: user,
    refuses: ['no_subuser', 'user_not_found'],
  },
  delete_proxy_user: {
    tag: 'Proxies',
    summary: { en: 'Delete a proxy user', ru: 'Удалить пользователя прокси' },
    about: {
      en: 'Its open connections are cut. What it used stays in the statistics of the pool, and what is left of its reserve returns to the free traffic of the account: what gateways hold for it a little later, once they have reported.',
      ru: 'Его открытые соединения обрываются. То, что он потратил, остаётся в статистике пула, а остаток резерва возвращается в свободный трафик аккаунта: то, что держат шлюзы, — чуть позже, когда они отчитаются.',
    },
    input: one,
    output: true,
    refuses: ['no_subuser', 'user_not_found'],
  },
  give_proxy_user: {
    tag: 'Proxies',
    summary: { en: 'Give a proxy user traffic', ru: 'Добавить трафик пользователю прокси' },
    about: {
      en: 'Adds `bytes` to `total_bytes`, in one step: calls at the same time add up. Send an `Idempotency-Key` for each payment of your customer, and repeat the call until it is answered: the bytes are added once. For a proxy user with a reserve they are taken from the free traffic of the account, given traffic first; `reserve_not_covered` says in `free` how many bytes could be.',
      ru: 'Прибавляет `bytes` к `total_bytes` одним действием: одновременные вызовы складываются. Отправляйте свой `Idempotency-Key` на каждый платёж вашего клиента и повторяйте вызов до ответа: байты прибавятся один раз. У пользователя с резервом они берутся из свободного трафика аккаунта, сначала бонусные; в отказе `reserve_not_covered` поле `free` говорит, сколько байт доступно.',
    },
    input: { ...one, bytes: 5_000_000_000 },
    output: { ...changedUser, total_bytes: 15_000_000_000 },
    refuses: [
      'no_subuser',
      'user_not_found',
      'invalid_user_bytes',
      'user_unlimited',
      'user_limit_too_large',
      'reserve_not_covered',
    ],
  },
  take_proxy_user: {
    tag: 'Proxies',
    summary: { en: 'Take traffic from a proxy user', ru: 'Забрать трафик у пользователя прокси' },
    about: {
      en: 'Subtracts `bytes` from `total_bytes`: all of them or none. What was used is never taken; `user_has_less` says in `left` how many bytes could be. From a reserve they return to the free traffic of the account; bytes that gateways hold for open connections are called back first, for up to two seconds.',
      ru: 'Вычитает `bytes` из `total_bytes`: всё или ничего. Потраченное не забирается; в отказе `user_has_less` поле `left` говорит, сколько байт можно забрать. Из резерва они возвращаются в свободный трафик аккаунта; то, что шлюзы держат под открытые соединения, сначала отзывается, на это уходит до двух секунд.',
    },
    input: { ...one, bytes: 2_000_000_000 },
    output: { ...changedUser, total_bytes: 8_000_000_000 },
    refuses: ['no_subuser', 'user_not_found', 'invalid_user_bytes', 'user_unlimited', 'user_has_less'],
  },
  proxy_user_usage: {
    tag: 'Traffic',
    summary: { en: 'Traffic of a proxy user per day', ru: 'Трафик пользователя прокси по дням' },
    about: {
      en: 'The last `days` days of the shop’s time zone, oldest first, including days without traffic.',
      ru: 'Последние `days` дней в часовом поясе магазина, сначала ранние, вместе с днями без трафика.',
    },
    input: { ...one, days: 7 },
    output: { days: [{ day: '2026-11-20', bytes: 250_000_000, requests: 512 }], total_bytes: 250_000_000 },
    refuses: ['no_subuser', 'user_not_found'],
  },
  proxy_users_usage: {
    tag: 'Traffic',
    summary: { en: 'Traffic of all proxy users of a pool', ru: 'Трафик всех пользователей прокси пула' },
    about: {
      en: 'What each of them used from the day `from` to the day `to`, both included, in the shop’s time zone: for billing. Pages are those of `get_proxy_users`, with deleted ones too; 500 calls tell of 100,000 of them.',
      ru: 'Сколько потратил каждый с дня `from` по день `to` включительно, в часовом поясе магазина: для выставления счетов. Страницы как у `get_proxy_users`, но вместе с удалёнными; 500 вызовов расскажут о 100 000.',
    },
    input: { pool: 'residential', from: '2026-11-01', to: '2026-11-30' },
    output: {
      users: [
        {
          number: 1,
          login: 'u4k2m9xbcdfg',
          label: 'Scraper in Berlin',
          external_id: 'client-4711',
          bytes: 1_250_000_000,
          requests: 3021,
        },
      ],
      next_after: null,
      time_zone: 'UTC',
    },
    refuses: ['no_subuser'],
  },
})
