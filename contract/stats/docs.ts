import { documents } from '../docs.ts'
import type { statsSchemas } from './schemas.ts'

const traffic = {
  en: 'Traffic numbers: a value under 10 with a decimal point is GB, any other value is MB (1 GB = 1000 MB = 10⁹ bytes).',
  ru: 'Числа трафика: значение меньше 10 с десятичной точкой — гигабайты, любое другое — мегабайты (1 ГБ = 1000 МБ = 10⁹ байт).',
}

export const statsDocs = documents<typeof statsSchemas>()({
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
  get_activity: {
    tag: 'Traffic',
    summary: {
      en: 'Traffic, requests and connections by the minute',
      ru: 'Трафик, запросы и соединения по минутам',
    },
    about: {
      en: 'The last 60 minutes and, of the last 168 hours (UTC), the busiest minute of each, the oldest first; of one pool or of all. `charged_bytes` is what was charged in the minute, exact to the byte. `requests` of a minute divided by 60 are requests per second. `open` is the most connections open at a time: gateways tell it a minute later, each of their workers for itself, so that the sum may be above the true peak.',
      ru: 'Последние 60 минут и самая занятая минута каждого из последних 168 часов (UTC), от старых к новым; по одному пулу или по всем. `charged_bytes` — сколько списано за минуту, с точностью до байта. `requests` за минуту, делённые на 60, — это запросы в секунду. `open` — наибольшее число соединений, открытых одновременно: шлюзы сообщают его минутой позже, каждый их процесс за себя, поэтому сумма может быть больше настоящего пика.',
    },
    input: { pool: 'residential' },
    output: {
      minutes: [{ minute: '2026-11-20T11:59:00.000Z', charged_bytes: 1_841_202, requests: 240, open: 16 }],
      hours: [{ hour: '2026-11-20T11:00:00.000Z', open: 18, requests: 262 }],
    },
    refuses: [],
  },
  get_overview: {
    tag: 'Traffic',
    summary: { en: 'The last day at a glance', ru: 'Последние сутки вкратце' },
    about: {
      en: 'What the account used in the last 24 hours of the clock (UTC), the present one included: in all by pool, and by hour. `hours_left` is how long the balance of the pool lasts at that rate, null when nothing was used. `requests` counts the last day’s requests, the last 10,000 of them at most (`is_capped`); `refusals` are the latest five codes among them.',
      ru: 'Что аккаунт потратил за последние 24 часа по UTC вместе с текущим: всего по пулам и по часам. `hours_left` — на сколько часов хватит баланса пула при таком расходе, null — если ничего не потрачено. `requests` — запросы последних суток, не больше 10 000 последних (`is_capped`); `refusals` — последние пять кодов среди них.',
    },
    input: {},
    output: {
      pools: [
        { pool: 'residential', used_bytes: 1_200_000_000, hours_left: 52 },
        { pool: 'residential_premium', used_bytes: 0, hours_left: null },
        { pool: 'datacenter', used_bytes: 0, hours_left: null },
        { pool: 'mobile', used_bytes: 0, hours_left: null },
      ],
      hours: [{ hour: '2026-05-17T11:00:00Z', used_bytes: 1_200_000_000, requests: 4021 }],
      requests: { counted: 4021, done: 3990, refused: 3, is_capped: false },
      refusals: [
        {
          code: 'target_forbidden',
          requests: 3,
          last_at: '2026-05-17T11:58:03.252Z',
          last_id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
          pool: 'residential',
          target: '10.0.0.1:80',
        },
      ],
      has_requests: true,
    },
    refuses: [],
  },
  get_last_hour: {
    tag: 'Traffic',
    summary: { en: 'How a pool did in the last hour', ru: 'Как пул работал последний час' },
    about: {
      en: 'Connections of all customers in the last hour that asked for one of these countries; without countries, for any: how many were attempted, and how many reached an exit. `median_ms` is the median time to a connection of those that went to these countries, of the latest 5,000 requests of the hour; null where there are none.',
      ru: 'Соединения всех клиентов за последний час, которые просили одну из этих стран; без стран — любые: сколько было попыток и сколько дошло до выхода. `median_ms` — медиана времени до соединения у тех, что шли в эти страны, из последних 5000 запросов часа; null — если таких нет.',
    },
    input: { pool: 'residential', countries: ['de'] },
    output: { attempted: 812, reached: 805, median_ms: 240 },
    refuses: [],
  },
  get_usage: {
    tag: 'Traffic',
    summary: { en: 'Traffic used in any time', ru: 'Расход трафика за любое время' },
    about: {
      en: 'UTC days from `from` to `to`, both included: at most 1,100, by hour at most 31. Rows are by `day` or `hour`, the oldest first, without those that have no traffic; or by `host`, `country` (the one that the line asks for), `exit_country`, `code` (the outcome: `done`, the code of a refusal, or the cause of the end) or `user` (the login of the proxy user, with its name as `label`; `account` is your own login), the largest first. `only` filters by one value of these, by day. Bytes of `day` and `hour` are those charged. The others are from the records of ended requests: 200 rows, the rest as one row of the kind `other`, hosts that you do not want to be kept as `withheld`, and what the books have beyond the records as `difference`: requests that are still open, or whose record was lost. It is below zero when requests ended in this time that used traffic before it. With it, the rows add up to `total`, in bytes and in requests. `requests` are those that were served, `refused` those that were refused; hours have no refusals. `before` is the total of as many days before. Records by host and so on are kept for 13 months. Hours are kept for some months; then the usage of their days is the first row by `hour`, of the kind `difference`.',
      ru: 'Дни UTC с `from` по `to` включительно: не больше 1100, по часам не больше 31. Строки — по `day` или `hour`, сначала ранние, без тех, где трафика не было; или по `host`, `country` (которую просит строка прокси), `exit_country`, `code` (исход: `done`, код отказа или причина конца) или `user` (логин пользователя прокси, его название — в `label`; `account` — ваш собственный логин), сначала большие. `only` оставляет одно значение, по дням. Байты по `day` и `hour` — списанные. Остальные взяты из записей о законченных запросах: 200 строк, прочее одной строкой вида `other`, сайты, которые вы просили не хранить, — `withheld`, а то, что есть в книгах сверх записей, — `difference`: запросы, которые ещё идут или запись о которых потеряна. Она меньше нуля, если в это время закончились запросы, потратившие трафик раньше. С ней строки складываются в `total` — и байты, и запросы. `requests` — выполненные запросы, `refused` — отказы; у часов отказов нет. `before` — итог за столько же дней перед этим. Записи по сайтам и прочему хранятся 13 месяцев. Часы хранятся несколько месяцев; потом расход их дней — первая строка по `hour`, вида `difference`.',
    },
    input: { from: '2026-11-01', to: '2026-11-07', by: 'host', pool: 'residential' },
    output: {
      rows: [
        {
          kind: 'key',
          key: '',
          target: 'example.com',
          label: null,
          charged_bytes: 1_250_000_000,
          bonus_bytes: null,
          requests: 3021,
          refused: 4,
        },
        {
          kind: 'difference',
          key: '',
          target: null,
          label: null,
          charged_bytes: 250_000,
          bonus_bytes: null,
          requests: 1,
          refused: null,
        },
      ],
      total: { charged_bytes: 1_250_250_000, bonus_bytes: 0, requests: 3022, refused: 4 },
      before: { charged_bytes: 990_000_000, bonus_bytes: 0, requests: 2811, refused: 0 },
    },
    refuses: ['usage_period', 'usage_period_too_long', 'usage_filter_by_day', 'invalid_field'],
  },
})
