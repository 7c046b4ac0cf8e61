import type { Output } from '../contract.ts'
import type { Name } from '../wire.ts'
import type { Description } from './describe.ts'

const settings = {
  anonymous: 'true',
  type: 'sticky',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 10,
  sessionttl: 30,
  countries: ['de'],
} as const

const preset = {
  number: 12,
  pool: 'residential',
  label: 'Prices in Germany',
  settings: { ...settings, countries: [...settings.countries] },
  created_at: '2026-11-02T09:30:00.000Z',
  link: { created_at: '2026-11-02T09:31:00.000Z', last_used_at: '2026-11-20T14:05:11.000Z' },
} satisfies Output<'save_preset'>

/** What settings are refused with, as by `get_proxy`. */
const wishRefused = [
  'no_subuser',
  'invalid_quantity',
  'invalid_sessionttl',
  'invalid_anonymous',
  'unknown_location',
  'contradictory_targeting',
  'user_not_found',
] as const
const trialRefused = [
  ...wishRefused.filter((code) => code !== 'invalid_quantity'),
  'no_traffic',
  'proxy_password_unreadable',
  'trial_running',
] as const
const settingsRefused = [
  ...wishRefused,
  'user_needs_password',
  'invalid_label',
  'preset_label_taken',
  'preset_too_large',
] as const

export const presetCalls = {
  get_presets: {
    tag: 'Proxies',
    summary: { en: 'List the presets of the generator', ru: 'Наборы настроек генератора' },
    about: {
      en: 'A preset is the input of `get_proxy` without the pool, under a name. The token of its link is not shown again.',
      ru: 'Набор — это вход `get_proxy` без пула, под названием. Токен его ссылки повторно не показывается.',
    },
    input: {},
    output: { presets: [preset], most: 50, most_links: 20 },
    refuses: [],
  },
  save_preset: {
    tag: 'Proxies',
    summary: { en: 'Save a preset', ru: 'Сохранить набор' },
    about: {
      en: 'Names are unique in a pool, whatever their case.',
      ru: 'Названия в одном пуле не повторяются, регистр не важен.',
    },
    input: { pool: 'residential', label: 'Prices in Germany', settings: preset.settings },
    output: { ...preset, link: null },
    refuses: ['too_many_presets', ...settingsRefused],
  },
  change_preset: {
    tag: 'Proxies',
    summary: {
      en: 'Rename a preset or replace its settings',
      ru: 'Переименовать набор или заменить настройки',
    },
    about: {
      en: 'Omitted fields stay unchanged. Its link answers with the new settings from then on.',
      ru: 'Пропущенные поля не меняются. Ссылка набора с этого момента отвечает по новым настройкам.',
    },
    input: { number: 12, label: 'Prices in Berlin' },
    output: { ...preset, label: 'Prices in Berlin' },
    refuses: ['preset_not_found', ...settingsRefused.filter((code) => code !== 'no_subuser')],
  },
  delete_preset: {
    tag: 'Proxies',
    summary: { en: 'Delete a preset', ru: 'Удалить набор' },
    about: { en: 'Its link stops working.', ru: 'Его ссылка перестаёт работать.' },
    input: { number: 12 },
    output: true,
    refuses: ['preset_not_found'],
  },
  renew_preset_link: {
    tag: 'Proxies',
    summary: {
      en: 'Make or renew the secret link of a preset',
      ru: 'Создать или обновить секретную ссылку набора',
    },
    about: {
      en: '`GET` of the path answers with a fresh list as plain text, without any token: who knows the link can use your traffic. `/proxy.pac` below it answers with a PAC file. The link that there was stops working. The path is shown this once. Needs a proof of the owner within the last ten minutes (`prove_owner`); the owner is told by letter.',
      ru: '`GET` по этому пути отвечает свежим списком простым текстом, без токена: кто знает ссылку, тот может тратить ваш трафик. `/proxy.pac` под ней отвечает файлом PAC. Прежняя ссылка перестаёт работать. Путь показывается один раз. Нужно подтверждение владельца за последние десять минут (`prove_owner`); о новой ссылке владельцу приходит письмо.',
    },
    input: { number: 12 },
    output: { path: '/api/lines/3vJq0M6xVn1yT8bKcW2sZr5LdPfHgAeUoXiNmQtYw4E', preset },
    refuses: ['proof_needed', 'preset_not_found', 'too_many_links'],
  },
  revoke_preset_link: {
    tag: 'Proxies',
    summary: { en: 'Revoke the secret link of a preset', ru: 'Отозвать секретную ссылку набора' },
    input: { number: 12 },
    output: { ...preset, link: null },
    refuses: ['preset_not_found'],
  },
  try_line: {
    tag: 'Proxies',
    summary: { en: 'Try a line', ru: 'Проверить строку' },
    about: {
      en: 'The shop makes one request to its own `/api/echo` through a line with these settings, and tells what came of it. It is charged as any request is, about 1 KB. It takes at most 15 seconds. One at a time, and 10 in a minute. `format` and `quantity` are ignored. `code` is null where the target answered, otherwise the gateway’s own code, `gateway_unreachable`, `trial_timeout` or `unexpected_answer`. `asn` and `as_name` are those of the address, by the DB-IP and RouteViews tables of the release; where they lack it, `asn` is that of the settings if they name one only.',
      ru: 'Магазин делает один запрос к своему `/api/echo` через строку с этими настройками и сообщает, что вышло. Он оплачивается как любой запрос, около 1 КБ. Проба длится не дольше 15 секунд. Одна за раз и не больше 10 в минуту. `format` и `quantity` не учитываются. `code` — null, если цель ответила, иначе код шлюза, `gateway_unreachable`, `trial_timeout` или `unexpected_answer`. `asn` и `as_name` — сеть этого адреса по таблицам DB-IP и RouteViews из релиза; если адреса там нет, а в настройках указана одна сеть, `asn` берётся из настроек.',
    },
    input: { pool: 'residential', ...preset.settings },
    output: {
      ok: true,
      status: 200,
      code: null,
      sentence: null,
      address: '203.0.113.80',
      country: 'de',
      asn: 3320,
      as_name: 'Deutsche Telekom AG',
      connect_ms: 180,
      latency_ms: 260,
      request_id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
    },
    refuses: [...trialRefused],
  },
} satisfies { [N in Name]?: Description<N> }
