/** The Atom feed of incidents (RFC 4287), in each language, for readers and for other status pages. */
import type { FastifyInstance } from 'fastify'
import { brandOnPages } from '#content'
import { type Language, languages } from '#contract/language'
import { localPath } from '#contract/pages'
import { statusFeedPath } from '#contract/status/rules'
import type { Database } from '#db'
import { type Incident, listIncidents } from '#status'
import { type Document, documentOf, sendDocument } from './document.ts'

const mostIncidents = 50
/** For this time a feed is served from the cache. */
const goodForMs = 10_000

const stateNames = {
  ru: {
    investigating: 'разбираемся',
    identified: 'причина найдена',
    monitoring: 'наблюдаем',
    resolved: 'решено',
  },
  en: {
    investigating: 'investigating',
    identified: 'identified',
    monitoring: 'monitoring',
    resolved: 'resolved',
  },
} as const
const titles = { ru: 'состояние', en: 'status' } as const

/** Control characters cannot be written in XML at all. */
const xml = (text: string) =>
  text
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

function entryOf(
  { id, title, openedAt, updatedAt, state, updates }: Incident,
  language: Language,
  page: URL,
) {
  const names = stateNames[language]
  const told = updates.map(
    ({ at, state: then, text }) => `${at.toISOString()} — ${names[then]}\n${text[language]}`,
  )
  const link = new URL(`#incident-${id}`, page).href
  return `  <entry>
    <id>${xml(new URL(`/status#incident-${id}`, page).href)}</id>
    <title>${xml(`${title[language]} — ${names[state]}`)}</title>
    <published>${openedAt.toISOString()}</published>
    <updated>${updatedAt.toISOString()}</updated>
    <link rel="alternate" href="${xml(link)}"/>
    <content type="text">${xml(told.join('\n\n'))}</content>
  </entry>`
}

function feedOf(
  {
    brand,
    incidents,
    language,
    now,
  }: { brand: string; incidents: Incident[]; language: Language; now: Date },
  publicUrl: URL,
): string {
  const self = new URL(statusFeedPath(language), publicUrl).href
  const page = new URL(localPath('/status', language), publicUrl)
  const updated = incidents.reduce(
    (last, { updatedAt }) => (updatedAt > last ? updatedAt : last),
    new Date(0),
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
  <id>${xml(self)}</id>
  <title>${xml(`${brand}: ${titles[language]}`)}</title>
  <updated>${(incidents.length === 0 ? now : updated).toISOString()}</updated>
  <author><name>${xml(brand)}</name></author>
  <link rel="self" type="application/atom+xml" href="${xml(self)}"/>
  <link rel="alternate" type="text/html" href="${xml(page.href)}"/>
${incidents.map((incident) => entryOf(incident, language, page)).join('\n')}
</feed>
`
}

export function mountStatusFeed(
  server: FastifyInstance,
  { database, publicUrl, now }: { database: Database; publicUrl: URL; now: () => Date },
): void {
  const kept = new Map<Language, { document: Promise<Document>; atMs: number }>()
  const write = async (language: Language) => {
    const [brand, incidents] = await Promise.all([
      database.read(brandOnPages),
      database.read((db) => listIncidents(db, { limit: mostIncidents })),
    ])
    return documentOf(feedOf({ brand: brand.name, incidents, language, now: now() }, publicUrl))
  }
  for (const language of languages)
    server.get(statusFeedPath(language), async (request, reply) => {
      let known = kept.get(language)
      if (known === undefined || Math.abs(now().getTime() - known.atMs) >= goodForMs) {
        const document = write(language)
        document.catch(() => kept.delete(language))
        kept.set(language, (known = { document, atMs: now().getTime() }))
      }
      return sendDocument(request, reply, await known.document, 'application/atom+xml; charset=utf-8')
    })
}
