import { documents } from '../docs.ts'
import { settings, wishRefused } from '../proxies/docs.ts'
import type { manyUsersSchemas } from './many.schemas.ts'

const choice = {
  en: 'Choose up to 1,000 in one way: `users`, each by `number`, `login`, `external_id` or `label`; or `filter`, by one key and value of the metadata and by state, in pages: `after` is the `next_after` of the call before. An empty `filter` chooses all.',
  ru: 'Выберите до 1000 одним способом: `users`, каждый по `number`, `login`, `external_id` или `label`, или `filter` — по одному ключу и значению метаданных и по состоянию, страницами: `after` — это `next_after` прошлого вызова. Пустой `filter` выбирает всех.',
}
const outcome = {
  en: 'All are changed in one step, and the answer says for each what became of it: `done`, `unchanged` (it was so before), `user_not_found`, or `named_twice`.',
  ru: 'Все меняются одним действием, и ответ говорит о каждом: `done` — сделано, `unchanged` — так уже было, `user_not_found` — такого нет, `named_twice` — назван ещё раз.',
}
const acted = {
  number: 1,
  login: 'u4k2m9xbcdfg',
  label: 'Scraper in Berlin',
  external_id: 'client-4711',
  outcome: 'done',
} as const
const users = [{ external_id: 'client-4711' }]
const refuses = ['no_subuser', 'invalid_user_choice', 'invalid_external_id', 'invalid_metadata'] as const

export const manyUsersDocs = documents<typeof manyUsersSchemas>()({
  freeze_proxy_users: {
    tag: 'Proxies',
    summary: { en: 'Freeze many proxy users', ru: 'Заморозить много пользователей прокси' },
    about: {
      en: `Freezes them, or frees them again. ${choice.en} ${outcome.en}`,
      ru: `Замораживает их или размораживает. ${choice.ru} ${outcome.ru}`,
    },
    input: { pool: 'residential', users, frozen: true },
    output: { users: [acted], done: 1, next_after: null },
    refuses: [...refuses],
  },
  delete_proxy_users: {
    tag: 'Proxies',
    summary: { en: 'Delete many proxy users', ru: 'Удалить много пользователей прокси' },
    about: {
      en: `Means for each what \`delete_proxy_user\` means. ${choice.en} ${outcome.en}`,
      ru: `Для каждого — то же, что \`delete_proxy_user\`. ${choice.ru} ${outcome.ru}`,
    },
    input: { pool: 'residential', users },
    output: { users: [acted], done: 1, next_after: null },
    refuses: [...refuses],
  },
  proxy_users_lines: {
    tag: 'Proxies',
    summary: { en: 'Generate lines of many proxy users', ru: 'Создать прокси для многих пользователей' },
    about: {
      en: `\`quantity\` lines of each, in the order of numbers, with the settings of \`get_proxy\`: as text, or, with \`Accept: application/json\`, as \`lines\` in JSON; at most 10,000 in all. A name that nobody has is refused, with its place in \`index\`. ${choice.en}`,
      ru: `\`quantity\` строк каждого, в порядке номеров, с настройками как у \`get_proxy\`: текстом, а с \`Accept: application/json\` — JSON, где прокси в \`lines\`; всего не больше 10 000. На имя, которого нет ни у кого, приходит отказ с его местом в \`index\`. ${choice.ru}`,
    },
    input: { ...settings, countries: ['de'], pool: 'residential', quantity: 1, users },
    output: 'u4k2m9xbcdfg-cc-de-sid-5b1f0c9e77aa-ttl-30:Jc7wQ2nTz5KpXa9d@gate.example.com:8000',
    json: {
      lines: ['u4k2m9xbcdfg-cc-de-sid-5b1f0c9e77aa-ttl-30:Jc7wQ2nTz5KpXa9d@gate.example.com:8000'],
    },
    refuses: [
      ...wishRefused,
      'no_traffic',
      'user_needs_password',
      'proxy_password_unreadable',
      ...refuses.slice(1),
    ],
  },
})
