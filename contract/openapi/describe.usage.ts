import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

export const usageCalls = {
  get_usage: {
    tag: 'Traffic',
    summary: { en: 'Traffic used in any time', ru: 'Расход трафика за любое время' },
    about: {
      en: 'UTC days from `from` to `to`, both included: at most 1,100, by hour at most 31. Rows are by `day` or `hour`, the oldest first, without those that have no traffic; or by `host`, `country` (the one that the line asks for), `exit_country`, `code` (the outcome: `done`, the code of a refusal, or the cause of the end) or `user` (the login of the proxy user, with its name as `label`; `account` is your own login), the largest first. `only` filters by one value of these, by day. Bytes of `day` and `hour` are those charged. The others are from the records of ended requests: 200 rows, the rest as one row of the kind `other`, hosts that you do not want to be kept as `withheld`, and what the books have beyond the records as `difference`: requests that are still open, or whose record was lost. It is below zero when requests ended in this time that used traffic before it. With it, the rows add up to `total` to the byte. `requests` of these rows count refused requests too, that of `total` does not. `before` is the total of as many days before. Records by host and so on are kept for 13 months.',
      ru: 'Дни UTC с `from` по `to` включительно: не больше 1100, по часам не больше 31. Строки — по `day` или `hour`, сначала ранние, без тех, где трафика не было; или по `host`, `country` (которую просит строка прокси), `exit_country`, `code` (исход: `done`, код отказа или причина конца) или `user` (логин пользователя прокси, его название — в `label`; `account` — ваш собственный логин), сначала большие. `only` оставляет одно значение, по дням. Байты по `day` и `hour` — списанные. Остальные взяты из записей о законченных запросах: 200 строк, прочее одной строкой вида `other`, сайты, которые вы просили не хранить, — `withheld`, а то, что есть в книгах сверх записей, — `difference`: запросы, которые ещё идут или запись о которых потеряна. Она меньше нуля, если в это время закончились запросы, потратившие трафик раньше. С ней строки складываются в `total` до байта. В `requests` этих строк входят и отказы, в `total` — нет. `before` — итог за столько же дней перед этим. Записи по сайтам и прочему хранятся 13 месяцев.',
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
      total: { charged_bytes: 1_250_250_000, bonus_bytes: 0, requests: 3022 },
      before: { charged_bytes: 990_000_000, bonus_bytes: 0, requests: 2811 },
    },
    refuses: ['usage_period', 'usage_period_too_long', 'usage_filter_by_day', 'invalid_field'],
  },
  get_host_privacy: {
    tag: 'Traffic',
    summary: {
      en: 'Whether the hosts that you visit are kept',
      ru: 'Хранятся ли сайты, которые вы посещаете',
    },
    about: {
      en: 'With `withholds_hosts` no host leaves the gateway or is stored; records say that it is withheld.',
      ru: 'С `withholds_hosts` ни один сайт не покидает шлюз и нигде не хранится; в записях сказано, что он скрыт.',
    },
    input: {},
    output: { withholds_hosts: false },
    refuses: [],
  },
  set_host_privacy: {
    tag: 'Traffic',
    summary: {
      en: 'Keep the hosts that you visit, or not',
      ru: 'Хранить сайты, которые вы посещаете, или нет',
    },
    about: {
      en: 'Takes effect on all gateways within seconds, on open connections too. Hosts that were kept before are erased within minutes from records and sums, for staff too; they do not come back.',
      ru: 'Действует на всех шлюзах через несколько секунд, в том числе для открытых соединений. Сайты, сохранённые раньше, за несколько минут стираются из записей и сумм, в том числе для сотрудников; вернуть их нельзя.',
    },
    input: { withholds_hosts: true },
    output: { withholds_hosts: true },
    refuses: [],
  },
  get_bill: {
    tag: 'Traffic',
    summary: { en: 'The bill, hour by hour', ru: 'Счёт по часам' },
    about: {
      en: 'Lines of the bill after the number `after` (0), at most `limit` (1,000): one for each UTC hour and pool in which something was credited or charged, made when the hour is over and never changed. Each line has a hash of itself and of the line before it, so that a customer who has kept `head`, the hash of the last line, can prove that no line was changed. The file is the header, then all lines, each with a line feed: docs/bill.md describes it. `turnpike verify-bill`, and the page /verify-bill in the browser, verify it.',
      ru: 'Строки счёта после номера `after` (0), не больше `limit` (1000): по одной на каждый час UTC и пул, где что-то зачислено или списано; строка создаётся, когда час закончился, и никогда не меняется. В каждой есть хеш её самой и предыдущей строки, поэтому тот, кто сохранил `head`, хеш последней строки, может доказать, что ни одна не изменена. Файл — это заголовок и все строки, каждая с переводом строки; формат описан в docs/bill.md. Проверяют его `turnpike verify-bill` и страница /verify-bill в браузере.',
    },
    input: { after: 0, limit: 1000 },
    output: {
      lines: [
        '1,2026-11-23T21:00Z,residential,1000000000,12345,2.500000,17,999987655,f8c26c99fb5c4b8eb2c36cf11e1fb4d7c7a4a1c1bb95a17d9f0a3c43ed6b9a11',
      ],
      count: 1,
      head: 'f8c26c99fb5c4b8eb2c36cf11e1fb4d7c7a4a1c1bb95a17d9f0a3c43ed6b9a11',
    },
    refuses: [],
  },
} as const satisfies { [N in Name]?: Description<N> }
