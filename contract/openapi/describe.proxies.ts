import type { Output } from '../contract.ts'
import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

const traffic = {
  en: 'Traffic numbers: a value under 10 with a decimal point is GB, any other value is MB (1 GB = 1000 MB = 10⁹ bytes).',
  ru: 'Числа трафика: значение меньше 10 с десятичной точкой — гигабайты, любое другое — мегабайты (1 ГБ = 1000 МБ = 10⁹ байт).',
}

const limitsAbout = {
  en: 'Caps limit the bytes charged per UTC hour, day and month, and the connections open at a time, across all gateways. A host is a name, an address, or `*.name` for all names below it; `denied_hosts` takes precedence over `allowed_hosts`, and an empty `allowed_hosts` allows all. `data_saver` refuses known advertisers and trackers.',
  ru: 'Ограничения действуют на байты, списанные за час, день и месяц по UTC, и на число одновременно открытых соединений, на всех шлюзах вместе. Сайт — имя, адрес или `*.имя` для всех имён под ним; `denied_hosts` важнее, чем `allowed_hosts`, а пустой `allowed_hosts` разрешает все. `data_saver` отклоняет известные рекламные и следящие сайты.',
}
const limitsSample = {
  pool: 'residential',
  hour_bytes: null,
  day_bytes: 5_000_000_000,
  month_bytes: null,
  connections: null,
  allowed_hosts: [],
  denied_hosts: ['*.video.example'],
  data_saver: true,
  raised_day_bytes: null,
  used: { hour_bytes: 0, day_bytes: 1_250_000_000, month_bytes: 31_000_000_000 },
} satisfies Output<'get_pool_limits'>

export const proxyCalls = {
  get_proxy: {
    tag: 'Proxies',
    summary: { en: 'Generate proxy lines', ru: 'Создать прокси' },
    about: {
      en: 'Returns one line per proxy as text. `quantity` is at most 10,000; 0 or blank means 1. `sessionttl` is in minutes; 0 means 10 for `sticky` and a new exit for every connection for `rotating`. With states, cities, zip codes or included ASNs each byte is charged twice. Lists may be null. With `proxy_user`, the number of a proxy user, the lines are its own.',
      ru: 'Возвращает текст: по одному прокси в строке. `quantity` — не больше 10 000; 0 или пустое значение означают 1. `sessionttl` — в минутах; 0 означает 10 для `sticky` и новый адрес для каждого соединения для `rotating`. Если выбраны штаты, города, индексы или включённые ASN, каждый байт списывается дважды. Списки могут быть null. С `proxy_user`, номером пользователя прокси, строки принадлежат ему.',
    },
    input: {
      anonymous: 'true',
      type: 'sticky',
      protocol: 'http',
      format: 'login:password@hostname:port',
      quantity: 2,
      sessionttl: 30,
      pool: 'residential',
      countries: ['us', 'de'],
      cities: null,
      states: null,
      excluded_asns: null,
      included_asns: null,
      zipcodes: null,
      region: 'eur',
    },
    output:
      'tp4k2m9x-cc-us.de-sid-8f3a2c-ttl-30:Jc7wQ2nTz5KpXa9d@proxy.example.net:20000\ntp4k2m9x-cc-us.de-sid-1b90de-ttl-30:Jc7wQ2nTz5KpXa9d@proxy.example.net:20000',
    refuses: [
      'no_traffic',
      'no_subuser',
      'proxy_password_unreadable',
      'invalid_quantity',
      'invalid_sessionttl',
      'invalid_anonymous',
      'unknown_location',
      'contradictory_targeting',
      'too_many_slots',
      'user_not_found',
      'user_needs_password',
    ],
  },
  proxy_countries: {
    tag: 'Proxies',
    summary: { en: 'Countries of a pool', ru: 'Страны пула' },
    about: {
      en: 'The number of addresses per country, the largest first. Names are in the language of Accept-Language.',
      ru: 'Количество адресов по странам, сначала самые крупные. Названия — на языке из Accept-Language.',
    },
    input: { provider: 'gateway', pool: 'residential' },
    output: [
      { code: 'us', name: 'United States', count: 184220 },
      { code: 'de', name: 'Germany', count: 61177 },
    ],
    refuses: ['unknown_provider'],
  },
  proxy_states: {
    tag: 'Proxies',
    summary: { en: 'States of countries', ru: 'Штаты и регионы стран' },
    about: {
      en: 'An empty list of countries returns an empty list.',
      ru: 'На пустой список стран приходит пустой список.',
    },
    input: { provider: 'gateway', pool: 'residential', countries: ['us'] },
    output: [{ code: 'us_california', name: 'California', count: 20110, country_code: 'us' }],
    refuses: ['unknown_provider'],
  },
  proxy_cities: {
    tag: 'Proxies',
    summary: { en: 'Cities of countries or states', ru: 'Города стран или штатов' },
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: ['us_california'] },
    output: [
      {
        code: 'us_los_angeles',
        name: 'Los Angeles',
        count: 5100,
        state_code: 'us_california',
        country_code: 'us',
      },
    ],
    refuses: ['unknown_provider'],
  },
  proxy_asns: {
    tag: 'Proxies',
    summary: { en: 'Networks of countries, states or cities', ru: 'Сети стран, штатов или городов' },
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: null, cities: null },
    output: [{ asn: 7922, name: 'Comcast', count: 15020 }],
    refuses: ['unknown_provider'],
  },
  proxy_zipcodes: {
    tag: 'Proxies',
    summary: { en: 'Zip codes of countries or states', ru: 'Индексы стран или штатов' },
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: ['us_california'] },
    output: [{ code: '90001', name: '90001', count: 212 }],
    refuses: ['unknown_provider'],
  },
  reset_password: {
    tag: 'Proxies',
    summary: { en: 'Reset the proxy password', ru: 'Сбросить пароль прокси' },
    about: {
      en: 'Lines with the old password stop working at once; open connections are closed within two seconds.',
      ru: 'Прокси со старым паролем сразу перестают работать; открытые соединения закрываются в течение двух секунд.',
    },
    input: { pool: 'residential' },
    output: { password: 'Jc7wQ2nTz5KpXa9d' },
    refuses: ['no_subuser'],
  },
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
          added_at: '2026-05-17T12:00:00.000Z',
          proven_at: '2026-05-17T12:03:20.000Z',
          expires_at: null,
        },
        {
          ip: '203.0.113.8',
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
      en: 'Public IPv4 addresses (not the example’s, which is reserved for documentation), at most 100 per pool. Takes effect on all gateways within two seconds. An address is a claim until it is proven (`get_whitelist_entries`); a call that comes from the address itself proves it at once. `ip_taken`: another customer has proven the address in this pool, and has used it in the last seven days; after 20 such refusals in a day the call is refused with `too_many_attempts`.',
      ru: 'Публичные адреса IPv4 (адрес из примера не подойдёт, он зарезервирован для документации), не больше 100 на пул. Действует на всех шлюзах в течение двух секунд. Адрес — заявка, пока он не подтверждён (`get_whitelist_entries`); вызов с самого этого адреса подтверждает его сразу. `ip_taken`: этот адрес в этом пуле подтвердил другой клиент и пользовался им в последние семь дней; после 20 таких отказов за день вызов отклоняется с `too_many_attempts`.',
    },
    input: { ip: '203.0.113.7', pool: 'residential' },
    output: true,
    refuses: ['invalid_ip', 'no_pool_access', 'ip_taken', 'whitelist_full', 'too_many_attempts'],
  },
  remove_ip_from_whitelist: {
    tag: 'Proxies',
    summary: { en: 'Remove an address from the whitelist', ru: 'Удалить адрес из белого списка' },
    input: { ip: '203.0.113.7', pool: 'residential' },
    output: true,
    refuses: ['invalid_ip'],
  },
  get_pool_limits: {
    tag: 'Traffic',
    summary: { en: 'The limits of a pool’s password', ru: 'Ограничения пароля пула' },
    about: {
      en: `${limitsAbout.en} \`used\` is what has been charged in the current hour, day and month; hours are counted once a limit has been set.`,
      ru: `${limitsAbout.ru} \`used\` — сколько списано за текущие час, день и месяц; часы считаются с того момента, когда задано ограничение.`,
    },
    input: { pool: 'residential' },
    output: limitsSample,
    refuses: ['no_subuser'],
  },
  set_pool_limits: {
    tag: 'Traffic',
    summary: { en: 'Set the limits of a pool’s password', ru: 'Задать ограничения пароля пула' },
    about: {
      en: `${limitsAbout.en} Omitted fields stay unchanged; \`null\` removes a cap. Takes effect on all gateways within two seconds, on open connections too: they answer 402 \`cap_reached\`, 429 \`too_many_connections\` and 403 \`target_denied\`.`,
      ru: `${limitsAbout.ru} Пропущенные поля не меняются; \`null\` снимает ограничение. Действует на всех шлюзах в течение двух секунд, и на открытые соединения: они отвечают 402 \`cap_reached\`, 429 \`too_many_connections\` и 403 \`target_denied\`.`,
    },
    input: {
      pool: 'residential',
      day_bytes: 5_000_000_000,
      denied_hosts: ['*.video.example'],
      data_saver: true,
    },
    output: limitsSample,
    refuses: [
      'no_subuser',
      'invalid_byte_cap',
      'invalid_connections',
      'invalid_host_pattern',
      'too_many_hosts',
    ],
  },
  raise_day_cap: {
    tag: 'Traffic',
    summary: { en: 'Double a pool’s daily cap for today', ru: 'Удвоить дневной лимит пула на сегодня' },
    about: {
      en: 'Until the end of the UTC day the cap is twice `day_bytes`, as `raised_day_bytes` says; `day_bytes` itself stays. A repetition on the same day changes nothing. Takes effect on all gateways within two seconds.',
      ru: 'До конца суток по UTC ограничение вдвое больше `day_bytes`, его показывает `raised_day_bytes`; само `day_bytes` не меняется. Повторный вызов в те же сутки ничего не меняет. Действует на всех шлюзах в течение двух секунд.',
    },
    input: { pool: 'residential' },
    output: { ...limitsSample, raised_day_bytes: 10_000_000_000 },
    refuses: ['no_subuser', 'no_day_cap'],
  },
  legacy_get_statistic: {
    tag: 'Traffic',
    summary: { en: 'Traffic used per day', ru: 'Трафик по дням' },
    about: {
      en: `The last 7 (\`week\`) or 30 (\`month\`) days in UTC, the oldest first, including days without traffic. \`traffic\` is everything charged, \`extra_traffic\` the part charged to bonus traffic, \`request\` the number of proxied requests and tunnels. ${traffic.en}`,
      ru: `Последние 7 (\`week\`) или 30 (\`month\`) дней по UTC, от старых к новым, включая дни без трафика. \`traffic\` — всё, что списано, \`extra_traffic\` — часть из бонусного трафика, \`request\` — число запросов и туннелей через прокси. ${traffic.ru}`,
    },
    input: { period: 'week', pool: 'residential' },
    output: {
      usage: [{ d_usage: '2026-11-20', traffic: 1.25, extra_traffic: 0.1, request: 3021 }],
      total: { traffic: 1.25, extra_traffic: 0.1 },
    },
    refuses: [],
  },
} as const satisfies { [N in Name]?: Description<N> }
