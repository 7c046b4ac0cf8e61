import { documents } from '../docs.ts'
import { defaultSessionMinutes } from '../session-times.ts'
import type { proxiesSchemas } from './schemas.ts'

/** An example of the settings of lines. */
export const settings = {
  anonymous: 'true',
  type: 'sticky',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 10,
  sessionttl: 30,
  countries: ['de'],
} as const

/** The refusals of settings, as of `get_proxy`. */
export const wishRefused = [
  'no_subuser',
  'invalid_quantity',
  'invalid_sessionttl',
  'invalid_anonymous',
  'unknown_location',
  'contradictory_targeting',
  'user_not_found',
  'user_country_denied',
  'user_double_tariff',
] as const

const trialRefused = [
  ...wishRefused.filter((code) => code !== 'invalid_quantity'),
  'no_traffic',
  'proxy_password_unreadable',
  'trial_running',
] as const

export const proxiesDocs = documents<typeof proxiesSchemas>()({
  try_line: {
    tag: 'Proxies',
    summary: { en: 'Try a line', ru: 'Проверить строку' },
    about: {
      en: 'The shop makes one request to its own `/api/echo` through a line with these settings, and tells what came of it. It is charged as any request is, about 1 KB. It takes at most 15 seconds. One at a time, and 10 in a minute. `format` and `quantity` are ignored. `code` is null where the target answered, otherwise the gateway’s own code, `gateway_unreachable`, `trial_timeout` or `unexpected_answer`. `country` is what the exit promises; `registered_country` is where the registries have the address, an independent source that may differ: an address can be used elsewhere than it is registered. `asn` and `as_name` are those of the address, by the DB-IP and RouteViews tables of the release; where they lack it, `asn` is that of the settings if they name one only.',
      ru: 'Магазин делает один запрос к своему `/api/echo` через строку с этими настройками и сообщает, что вышло. Он оплачивается как любой запрос, около 1 КБ. Проба длится не дольше 15 секунд. Одна за раз и не больше 10 в минуту. `format` и `quantity` не учитываются. `code` — null, если цель ответила, иначе код шлюза, `gateway_unreachable`, `trial_timeout` или `unexpected_answer`. `country` — то, что обещает выходной узел; `registered_country` — где адрес записан в реестрах: независимый источник, который может расходиться, ведь адрес используют и не там, где он записан. `asn` и `as_name` — сеть этого адреса по таблицам DB-IP и RouteViews из релиза; если адреса там нет, а в настройках указана одна сеть, `asn` берётся из настроек.',
    },
    input: { pool: 'residential', ...settings, countries: [...settings.countries] },
    output: {
      ok: true,
      status: 200,
      code: null,
      sentence: null,
      address: '203.0.113.80',
      country: 'de',
      registered_country: 'de',
      asn: 3320,
      as_name: 'Deutsche Telekom AG',
      connect_ms: 180,
      latency_ms: 260,
      request_id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
    },
    refuses: [...trialRefused],
  },
  get_proxy: {
    tag: 'Proxies',
    summary: { en: 'Generate proxy lines', ru: 'Создать прокси' },
    about: {
      en: `Returns one line per proxy as text, or, with \`Accept: application/json\`, as \`lines\` in JSON. \`quantity\` is at most 10,000; 0 or blank means 1. Lines of the format \`hostname:port\` are the first ports of the pool: another such list sets the same ports again. \`sessionttl\` is in minutes; 0 means ${defaultSessionMinutes} for \`sticky\` and a new exit for every connection for \`rotating\`. With states, cities, zip codes or included ASNs each byte is charged twice: 5 GB are then 2.5 GB of payload. The JSON tells it in \`multiplier\` (1 or 2) and \`payload_bytes\`, the bytes that what is left of the pool, or of the limit or reserve of the proxy user, is worth with these lines; the text tells both in the headers \`x-traffic-multiplier\` and \`x-payload-bytes\`. Lists may be null. With \`proxy_user\`, the number of a proxy user, the lines are its own.`,
      ru: `Возвращает текст, по одному прокси в строке, а с \`Accept: application/json\` — JSON, где прокси в \`lines\`. \`quantity\` — не больше 10 000; 0 или пустое значение означают 1. Строки формата \`hostname:port\` — первые порты пула: следующий такой список занимает те же порты. \`sessionttl\` — в минутах; 0 означает ${defaultSessionMinutes} для \`sticky\` и новый адрес для каждого соединения для \`rotating\`. Если выбраны регионы, города, индексы или включённые ASN, каждый байт списывается дважды: 5 ГБ — это 2,5 ГБ полезных данных. В JSON об этом говорят \`multiplier\` (1 или 2) и \`payload_bytes\` — на сколько байт данных через эти строки хватит остатка пула либо лимита или резерва пользователя прокси; при ответе текстом то же стоит в заголовках \`x-traffic-multiplier\` и \`x-payload-bytes\`. Списки могут быть null. С \`proxy_user\`, номером пользователя прокси, строки принадлежат ему.`,
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
    json: {
      lines: [
        'tp4k2m9x-cc-us.de-sid-8f3a2c-ttl-30:Jc7wQ2nTz5KpXa9d@proxy.example.net:20000',
        'tp4k2m9x-cc-us.de-sid-1b90de-ttl-30:Jc7wQ2nTz5KpXa9d@proxy.example.net:20000',
      ],
      multiplier: 1,
      payload_bytes: 5_000_000_000,
    },
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
      'user_country_denied',
      'user_double_tariff',
      'user_needs_password',
    ],
  },
  end_connections: {
    tag: 'Proxies',
    summary: { en: 'End open connections', ru: 'Завершить открытые соединения' },
    about: {
      en: 'Ends the open connections of a pool’s own login, or of the proxy user with this number, on all gateways within two seconds: all of them, those of a sticky `session`, or the one with this `request_id` (`X-Request-Id`). With both, those of either. Bytes relayed until then are charged, and the `outcome` of the records is `ended`. A session that is ended takes another exit with the next connection; another address, where the seller of the exit gives one. The login may connect again at once: to stop it, freeze the proxy user or reset the password. Connections that are not open are no error.',
      ru: 'Завершает открытые соединения собственного логина пула или пользователя прокси с этим номером, на всех шлюзах в течение двух секунд: все, соединения липкой сессии `session` или одно, с этим `request_id` (`X-Request-Id`). Если заданы оба — и те и другие. Переданные до этого байты списываются, `outcome` в записях — `ended`. Завершённая сессия со следующего соединения выходит через другой узел; адрес будет другим, если его даёт продавец узла. Логин может сразу подключиться снова: чтобы остановить его, заморозьте пользователя прокси или сбросьте пароль. Если таких соединений нет, это не ошибка.',
    },
    input: { pool: 'residential', proxy_user: 1, session: '8f3a2c' },
    output: true,
    refuses: [
      'no_subuser',
      'user_not_found',
      'invalid_session',
      'invalid_request_id',
      'too_many_ended_sessions',
    ],
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
})
