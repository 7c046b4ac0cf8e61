import { type Answer, documents } from '../docs.ts'
import { settings, wishRefused } from '../proxies/docs.ts'
import type { presetsSchemas } from './schemas.ts'

const preset = {
  number: 12,
  pool: 'residential',
  label: 'Prices in Germany',
  settings: { ...settings, countries: [...settings.countries] },
  created_at: '2026-11-02T09:30:00.000Z',
  link: { created_at: '2026-11-02T09:31:00.000Z', last_used_at: '2026-11-20T14:05:11.000Z' },
} satisfies Answer<typeof presetsSchemas.save_preset>

const settingsRefused = [
  ...wishRefused,
  'user_needs_password',
  'invalid_label',
  'preset_label_taken',
  'preset_too_large',
] as const

export const presetsDocs = documents<typeof presetsSchemas>()({
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
    refuses: ['proof_needed', 'preset_not_found', 'too_many_links', 'too_many_attempts'],
  },
  revoke_preset_link: {
    tag: 'Proxies',
    summary: { en: 'Revoke the secret link of a preset', ru: 'Отозвать секретную ссылку набора' },
    input: { number: 12 },
    output: { ...preset, link: null },
    refuses: ['preset_not_found'],
  },
})
