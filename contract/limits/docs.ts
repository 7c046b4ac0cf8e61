import { type Answer, documents } from '../docs.ts'
import type { limitsSchemas } from './schemas.ts'

const limitsAbout = {
  en: 'Caps limit the bytes charged per UTC hour, day and month, and the connections open at a time, across all gateways. A host is a name, an address, or `*.name` for all names below it; `denied_hosts` takes precedence over `allowed_hosts`, and an empty `allowed_hosts` allows all. `data_saver` refuses known advertisers and trackers.',
  ru: 'Лимиты действуют на байты, списанные за час, день и месяц по UTC, и на число одновременно открытых соединений, на всех шлюзах вместе. Сайт — имя, адрес или `*.имя` для всех имён под ним; `denied_hosts` важнее, чем `allowed_hosts`, а пустой `allowed_hosts` разрешает все. `data_saver` отклоняет известные рекламные и следящие сайты.',
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
} satisfies Answer<typeof limitsSchemas.get_pool_limits>

export const limitsDocs = documents<typeof limitsSchemas>()({
  get_pool_limits: {
    tag: 'Traffic',
    summary: { en: 'The limits of a pool’s password', ru: 'Лимиты пула' },
    about: {
      en: `${limitsAbout.en} \`used\` is what has been charged in the current hour, day and month; hours are counted once a limit has been set.`,
      ru: `${limitsAbout.ru} \`used\` — сколько списано за текущие час, день и месяц; часы считаются с того момента, когда задан лимит.`,
    },
    input: { pool: 'residential' },
    output: limitsSample,
    refuses: ['no_subuser'],
  },
  set_pool_limits: {
    tag: 'Traffic',
    summary: { en: 'Set the limits of a pool’s password', ru: 'Задать лимиты пула' },
    about: {
      en: `${limitsAbout.en} Omitted fields stay unchanged; \`null\` removes a cap. Takes effect on all gateways within two seconds, on open connections too: they answer 402 \`cap_reached\`, 429 \`too_many_connections\` and 403 \`target_denied\`.`,
      ru: `${limitsAbout.ru} Пропущенные поля не меняются; \`null\` снимает лимит. Действует на всех шлюзах в течение двух секунд, и на открытые соединения: они отвечают 402 \`cap_reached\`, 429 \`too_many_connections\` и 403 \`target_denied\`.`,
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
      ru: 'До конца суток по UTC лимит вдвое больше `day_bytes`, его показывает `raised_day_bytes`; само `day_bytes` не меняется. Повторный вызов в те же сутки ничего не меняет. Действует на всех шлюзах в течение двух секунд.',
    },
    input: { pool: 'residential' },
    output: { ...limitsSample, raised_day_bytes: 10_000_000_000 },
    refuses: ['no_subuser', 'no_day_cap'],
  },
})
