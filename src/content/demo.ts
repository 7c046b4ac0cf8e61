/**
 * A demo's banners and links, so that no page of a demo is empty. The addresses are reserved names (RFC
 * 2606).
 */
import { readFile } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { databaseTime, type DB, lockName, transaction } from '#db'
import { addBanner } from './banners.ts'
import { defaults } from './defaults.ts'
import { publishPart, versionOf } from './versions.ts'

const banners = [
  {
    file: 'terabyte.png',
    texts: { alt_ru: '1000 ГБ, −33 %', alt_en: '1000 GB, −33 %' },
    link: '/purchase?amount=1000&pool=residential',
  },
  {
    file: 'friends.png',
    texts: { alt_ru: 'Пригласите друга: +10 %', alt_en: 'Invite a friend: +10 %' },
    link: '/account?tab=referal',
  },
]

/** Leads nowhere: a demo that has a bot of its own points to that. */
export const demoBotLink = 'https://telegram.example/demo_bot'

const links = {
  bot: demoBotLink,
  support: 'https://telegram.example/demo_support',
  channel: 'https://telegram.example/demo_news',
  enterprise: 'https://telegram.example/demo_sales',
}

/** The third rule has a table, and the list ends with a partner. */
const rulesOf = (own: (typeof defaults.rules)['ru'], partner: string) => ({
  ...own,
  rules: own.rules.map((rule, index) =>
    index === 2 ? { ...rule, more_link: 'https://sheets.example/prices' } : rule,
  ),
  partner: { name: partner, link: 'https://partner.example' },
})
const rules = {
  ru: rulesOf(defaults.rules.ru, 'Демо-браузер'),
  en: rulesOf(defaults.rules.en, 'Demo Browser'),
}

const thread = (number: number) => ({ link: `https://forum.example/threads/${number}` })
const threads = Array.from({ length: 11 }, (_, index) => index + 1)

const reviews = {
  ru: {
    ...defaults.reviews.ru,
    links: threads.map((number) => ({ name: `Форум-пример, тема ${number}`, ...thread(number) })),
  },
  en: {
    ...defaults.reviews.en,
    links: threads.map((number) => ({ name: `Example forum, thread ${number}`, ...thread(number) })),
  },
}

/**
 * Fills in parts that still have their defaults; parts that an operator has changed or removed are not
 * touched.
 */
export async function seedDemoContent(db: Kysely<DB>): Promise<void> {
  await transaction(db, async (tx) => {
    await lockName(tx, 'demo content')
    const made = { links, reviews, rules }
    for (const part of ['links', 'reviews', 'rules'] as const)
      if ((await versionOf(tx, part)) !== null) return
    const edit = { by: 'turnpike', at: await databaseTime(tx) }
    for (const [part, value] of Object.entries(made) as [keyof typeof made, object][])
      await publishPart(tx, part, { ...edit, make: () => value })
    // The banners are added with these parts, so that a removed one does not come back.
    for (const [position, { file, texts, link }] of banners.entries()) {
      const bytes = await readFile(new URL(`demo/${file}`, import.meta.url))
      await addBanner(tx, { ...texts, link, bytes, position })
    }
  })
}
