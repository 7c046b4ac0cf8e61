import { documents } from '../docs.ts'
import type { whitelistSchemas } from './schemas.ts'

export const whitelistDocs = documents<typeof whitelistSchemas>()({
  get_whitelist_ips: {
    tag: 'Proxies',
    summary: { en: 'Addresses that need no password', ru: 'Адреса, с которых пароль не нужен' },
    about: {
      en: 'From these addresses, lines of the format `hostname:port` work, proven or not: `get_whitelist_entries` has the state of each.',
      ru: 'С этих адресов работают прокси формата `hostname:port`, подтверждён адрес или нет: состояние каждого — в `get_whitelist_entries`.',
    },
    input: { pool: 'residential' },
    output: ['203.0.113.7'],
    refuses: [],
  },
  get_whitelist_entries: {
    tag: 'Proxies',
    summary: {
      en: 'The whitelist, with the state of each address',
      ru: 'Белый список с состоянием каждого адреса',
    },
    about: {
      en: 'An address is a claim until it is proven: by one connection from it to an entry port with a proxy password of the account, of any pool, or by adding it from there. An entry port requires a password until then; a slot port (`hostname:port` lines) serves a claim as long as no other customer claims the address. A claim is removed at `expires_at` unless it is proven or used before. `lost` has the addresses removed in the last week: `taken` when another customer proved the address, `unproven` when the claim expired.',
      ru: 'Адрес — заявка, пока он не подтверждён: соединением с него на основной порт с паролем прокси аккаунта (любого пула) или добавлением с него самого. До этого основной порт требует пароль, а порты для `hostname:port` обслуживают заявку, пока на тот же адрес не претендует другой клиент. Заявка удаляется в `expires_at`, если адрес за это время не подтвердили и не использовали. В `lost` — адреса, удалённые за последнюю неделю: `taken` — адрес подтвердил другой клиент, `unproven` — заявка истекла.',
    },
    input: { pool: 'residential' },
    output: {
      entries: [
        {
          ip: '203.0.113.7',
          proxy_user: null,
          added_at: '2026-05-17T12:00:00.000Z',
          proven_at: '2026-05-17T12:03:20.000Z',
          expires_at: null,
        },
        {
          ip: '203.0.113.8',
          proxy_user: 1,
          added_at: '2026-05-17T12:01:00.000Z',
          proven_at: null,
          expires_at: '2026-05-18T12:01:00.000Z',
        },
      ],
      lost: [{ ip: '203.0.113.9', reason: 'taken', lost_at: '2026-05-16T08:30:00.000Z' }],
    },
    refuses: [],
  },
  add_ip_to_whitelist: {
    tag: 'Proxies',
    summary: { en: 'Add an address to the whitelist', ru: 'Добавить адрес в белый список' },
    about: {
      en: 'Public IPv4 addresses (not the example’s, which is reserved for documentation), at most 100 per pool. Takes effect on all gateways within two seconds. An address is a claim until it is proven (`get_whitelist_entries`); a call that comes from the address itself proves it at once. `ip_taken`: another customer has proven the address in this pool, and has used it in the last seven days; after 20 such refusals in a day the call is refused with `too_many_attempts`. With `proxy_user`, the address stands for that proxy user: a client from there needs no login and password, and its traffic counts towards the limits of the proxy user. A proxy user can have 10 addresses per pool; each works only once it is proven, also on slot ports, which serve the lines of the account. Its own login from the address, or that of the account, proves it. `ip_listed`: the address already stands for your account or another of your proxy users.',
      ru: 'Публичные адреса IPv4 (адрес из примера не подойдёт, он зарезервирован для документации), не больше 100 на пул. Действует на всех шлюзах в течение двух секунд. Адрес — заявка, пока он не подтверждён (`get_whitelist_entries`); вызов с самого этого адреса подтверждает его сразу. `ip_taken`: этот адрес в этом пуле подтвердил другой клиент и пользовался им в последние семь дней; после 20 таких отказов за день вызов отклоняется с `too_many_attempts`. С `proxy_user` адрес закрепляется за этим пользователем прокси: клиенту с этого адреса не нужны логин и пароль, а трафик идёт в лимиты пользователя. У пользователя может быть 10 адресов на пул; каждый действует только после подтверждения, в том числе на портах строк `hostname:port`, которые обслуживают строки аккаунта. Подтверждает адрес соединение с него с логином этого пользователя или аккаунта. `ip_listed`: адрес уже закреплён за вашим аккаунтом или другим вашим пользователем прокси.',
    },
    input: { ip: '203.0.113.7', pool: 'residential' },
    output: true,
    refuses: [
      'invalid_ip',
      'no_pool_access',
      'user_not_found',
      'ip_taken',
      'ip_listed',
      'whitelist_full',
      'too_many_attempts',
    ],
  },
  remove_ip_from_whitelist: {
    tag: 'Proxies',
    summary: { en: 'Remove an address from the whitelist', ru: 'Удалить адрес из белого списка' },
    input: { ip: '203.0.113.7', pool: 'residential' },
    output: true,
    refuses: ['invalid_ip'],
  },
})
