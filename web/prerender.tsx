/**
 * Renders public pages as HTML: at build time without data, and in the server with current data. The browser
 * hydrates them. Built as a module of its own for Node.js.
 */
import { type ReactNode, StrictMode } from 'react'
import { prerender } from 'react-dom/static'
import type { Input, Name } from '#contract/contract'
import type { Frame } from '#contract/frames/frames'
import type { Language } from '#contract/language'
import type { LegalPage } from '#contract/legal/pages'
import type { Ask, FirstScreen, PageData, PageQuery, PageRenderer } from '#contract/page-renderer'
import { localPath, type PublicPath } from '#contract/pages'
import { builtInProvider, pools } from '#contract/wire'
import { staticPage } from './router/provider.tsx'
import { framePages } from './shell/frame-pages.ts'
import { publicPages } from './shell/public-pages.ts'
import { firstReads, tabOf } from './account/places/first-reads.ts'
import { textsOfAccount, textsOfTab } from './account/places/places.ts'
import { EarlyTab } from './account/page/early-tab.tsx'
import { createRoutes } from './shell/router.tsx'
import { cachePageAnswers, query, queryClient } from './state/reads/queries.ts'
import { countriesQuery } from './state/places/countries.ts'
import { changeLanguage, loadTexts } from './state/i18n.ts'
import { brandIn, restorePageData } from './state/page-data.ts'
import { siteKey } from './state/site.ts'
import { lendStored } from './state/storage.ts'
import { legalPageQuery } from './storefront/content/legal-query.ts'
import { discountedGb } from './storefront/home/tariffs.ts'
import { statusQuery } from './storefront/status/status-query.ts'

export { framePages, publicPages }

const pageQuery = <N extends Name>(
  name: N,
  input: Input<N>,
  key: PageQuery['key'] = query(name, input).queryKey,
) => ({ key, name, input }) as PageQuery

export const layoutQueries: PageRenderer['layoutQueries'] = (language) => [
  pageQuery('site', {}, siteKey(language)),
]

export const pageQueries: PageRenderer['pageQueries'] = (path, language) => {
  const countries = pools.map((pool) =>
    pageQuery(
      'proxy_countries',
      { provider: builtInProvider, pool },
      countriesQuery(pool, language).queryKey,
    ),
  )
  const legal = (page: LegalPage) => [
    pageQuery('legal_page', { page }, legalPageQuery(page, language).queryKey),
  ]
  const own: Record<PublicPath, PageQuery[]> = {
    '/': [pageQuery('prices', {}), pageQuery('calculate', { amounts: [...discountedGb] }), ...countries],
    '/proxy': countries,
    '/shares': [pageQuery('get_banners', {})],
    '/reviews': [],
    '/rules': [],
    '/docs': [],
    '/status': [pageQuery('get_status', {}, statusQuery(language).queryKey)],
    '/terms': legal('terms'),
    '/privacy': legal('privacy'),
    '/personal-data': legal('personal_data'),
    '/refund': legal('refund'),
    '/acceptable-use': legal('acceptable_use'),
    '/requisites': legal('requisites'),
    '/abuse': legal('abuse'),
  }
  return [...layoutQueries(language), ...own[path]]
}

let queue: Promise<unknown> = Promise.resolve()

/** Renders one page at a time: language and query cache are state of the module. */
export const renderPage: PageRenderer['renderPage'] = (path, language, data) => {
  const rendered = queue.then(() => render(path, language, data))
  queue = rendered.catch(() => undefined)
  return rendered
}

/** The most renders that may wait: beyond it, public pages go first. */
const longestQueue = 8
let waiting = 0

/**
 * The reads of a screen, and the overview rendered with them. The cache holds them only while it is rendered,
 * and nothing else is rendered meanwhile.
 */
export const firstScreen: PageRenderer['firstScreen'] = async (screen, ask) => {
  const [{ answers, user }, site] = await Promise.all([firstReads(screen, ask), siteOf(screen, ask)])
  const tab = tabOf(screen.frame)
  if (user === null || tab !== 'main' || waiting >= longestQueue) return { answers, html: null }
  const rendered = queue.then(async () => {
    try {
      restorePageData(site)
      for (const [key, answer] of answers) queryClient.setQueryData(key, answer)
      lendStored(screen.stored)
      await loadTexts('header', ...textsOfAccount, ...textsOfTab[tab])
      await changeLanguage(screen.language)
      return await htmlOf(<EarlyTab user={{ ...user, token: '' }} />, 'early')
    } finally {
      queryClient.clear()
      lendStored({})
    }
  })
  waiting++
  queue = rendered.catch(() => undefined)
  return { answers, html: await rendered.finally(() => waiting--) }
}

async function siteOf({ language }: FirstScreen, ask: Ask): Promise<PageData> {
  return { answers: [[siteKey(language), await ask('site', {})]] }
}

async function render(path: PublicPath | Frame, language: Language, data: PageData) {
  queryClient.clear()
  restorePageData(data)
  cachePageAnswers()
  await loadTexts('header')
  await changeLanguage(language)
  const url = new URL(localPath(path, language), 'http://localhost')
  const page = <StrictMode>{await staticPage(createRoutes(), url)}</StrictMode>
  const html = await htmlOf(page, path)
  // React puts the elements of the head first.
  const [head = ''] = /^(?:<title>[^<]*<\/title>|<(?:meta|link)\b[^>]*>)*/.exec(html) ?? []
  return { head, body: html.slice(head.length) }
}

async function htmlOf(page: ReactNode, what: string): Promise<string> {
  const failures: unknown[] = []
  const { prelude } = await prerender(page, {
    // Above this size React moves content into hidden elements and inserts it by inline scripts, so that it
    // would be invisible without scripts.
    progressiveChunkSize: Infinity,
    // A part that is inserted into a page must not repeat its ids.
    identifierPrefix: what.startsWith('/') ? '' : what,
    onError: (error: unknown) => void failures.push(error),
  })
  const html = await new Response(prelude).text()
  if (failures.length > 0) throw new AggregateError(failures, `${what} could not be rendered`)
  return html
}

export const fillTemplate: PageRenderer['fillTemplate'] = (template, { head, body, data }) =>
  template
    .replace('<!--head-->', () => head + linkPreview(head) + colourSheet(data))
    .replace(iconLink, (own) => iconOf(data) ?? own)
    .replace('<!--body-->', () => body)
    .replace('<!--page-data-->', () => (data === null ? '' : embed(data)))

export const fillShell: PageRenderer['fillShell'] = (shell, data) => {
  const brand = brandIn(data.answers)?.name
  const titled =
    brand === undefined
      ? shell
      : shell.replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(brand)}</title>`)
  return titled
    .replace(iconLink, (own) => iconOf(data) ?? own)
    .replace('</head>', (end) => colourSheet(data) + end)
    .replace('<div id="app"></div>', (root) => root + embed(data))
}

const iconLink = /<link rel="icon"[^>]*>/

function iconOf(data: PageData | null): string | undefined {
  const icon = data === null ? undefined : brandIn(data.answers)?.icon
  return icon == null ? undefined : `<link rel="icon" href="${escapeHtml(icon.src)}">`
}

/** The shop's colours, before the first paint; nothing where they are the program's own. */
function colourSheet(data: PageData | null): string {
  const colours = data === null ? null : brandIn(data.answers)?.colours
  return colours == null ? '' : `<link rel="stylesheet" href="${escapeHtml(colours)}">`
}

const embed = (data: PageData) => `<data id="page-data" value="${escapeHtml(JSON.stringify(data))}"></data>`

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The title and the description of the head as link preview; both are escaped already. */
function linkPreview(head: string): string {
  const title = /<title>([^<]*)<\/title>/.exec(head)?.[1] ?? ''
  const description = /<meta name="description" content="([^"]*)"/.exec(head)?.[1] ?? ''
  return [
    `<meta property="og:title" content="${title}" data-page>`,
    `<meta property="og:description" content="${description}" data-page>`,
  ].join('')
}
