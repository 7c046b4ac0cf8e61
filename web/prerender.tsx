/**
 * Writes a public page as HTML: at the build without answers, and in the server with what it knows at the moment. The
 * browser takes such a page over instead of painting it anew. Built by itself for Node.js.
 */
import { StrictMode } from 'react'
import { prerender } from 'react-dom/static'
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from 'react-router'
import type { Input, Name } from '#contract/contract'
import { builtInProvider, pools } from '#contract/wire'
import { query, queryClient } from './app/api.ts'
import { countriesQuery } from './app/countries.ts'
import { Data } from './app/data.tsx'
import { changeLanguage, loadTexts } from './app/i18n.ts'
import { localPath, type PublicPath, publicPaths } from './app/paths.ts'
import { publicPages } from './app/public-pages.ts'
import { makeRoutes } from './app/router.tsx'
import { siteQuery } from './app/site.ts'
import { brandIn, know, type Written } from './app/written.ts'
import { discountedGb } from './storefront/home/tariffs.ts'
import type { Language } from './ui/format.ts'

export { localPath, publicPages, publicPaths }
export type { Language, PublicPath, Written }

/** A call whose answer a page shows, and the key the page finds it by. */
export interface Needed<N extends Name = Name> {
  key: Written['answers'][number][0]
  name: N
  input: Input<N>
}

const need = <N extends Name>(name: N, input: Input<N>, key: Needed['key'] = query(name, input).queryKey) =>
  ({ key, name, input }) as Needed

/** What the frame of every page shows, beside its words. */
export const neededEverywhere = (language: Language): Needed[] => [
  need('site', {}, siteQuery(language).queryKey),
]

/** What a page shows, beside its words. */
export function neededOn(path: PublicPath, language: Language): Needed[] {
  const countries = pools.map((pool) =>
    need('proxy_countries', { provider: builtInProvider, pool }, countriesQuery(pool, language).queryKey),
  )
  const more: Record<PublicPath, Needed[]> = {
    '/': [need('prices', {}), need('calculate', { amounts: [...discountedGb] }), ...countries],
    '/proxy': countries,
    '/shares': [need('get_banners', {})],
    '/reviews': [],
    '/rules': [],
  }
  return [...neededEverywhere(language), ...more[path]]
}

let turn: Promise<unknown> = Promise.resolve()

/** A page's markup: what belongs into its head, and its body. One is written at a time: the texts are one store. */
export function writePage(
  path: PublicPath,
  language: Language,
  written: Written,
): Promise<{ head: string; body: string }> {
  const mine = turn.then(() => write(path, language, written))
  turn = mine.catch(() => undefined)
  return mine
}

async function write(path: PublicPath, language: Language, written: Written) {
  queryClient.clear()
  know(written)
  await loadTexts('header')
  await changeLanguage(language)
  const { query: load, dataRoutes } = createStaticHandler(makeRoutes())
  const context = await load(new Request(new URL(localPath(path, language), 'http://localhost')))
  if (context instanceof Response) throw new Error(`${path} answered ${context.status} instead of a page`)
  const page = (
    <StrictMode>
      <Data>
        <StaticRouterProvider
          router={createStaticRouter(dataRoutes, context)}
          context={context}
          hydrate={false}
        />
      </Data>
    </StrictMode>
  )
  const failures: unknown[] = []
  // Larger pieces would be put aside and moved into place by inline scripts, which nobody without scripts would see.
  const options = { progressiveChunkSize: Infinity, onError: (error: unknown) => void failures.push(error) }
  const { prelude } = await prerender(page, options)
  const html = await new Response(prelude).text()
  if (failures.length > 0) throw new AggregateError(failures, `${path} could not be written`)
  // React puts what belongs into the head in front.
  const [head = ''] = /^(?:<title>[^<]*<\/title>|<(?:meta|link)\b[^>]*>)*/.exec(html) ?? []
  return { head, body: html.slice(head.length) }
}

/** Puts a page's markup into its template. What was known comes along, for the browser to find. */
export function fill(
  template: string,
  page: { head: string; body: string; written: Written | null },
): string {
  const { head, body, written } = page
  const preview = previewOf(head)
  return template
    .replace('<!--head-->', () => head + preview)
    .replace('<!--body-->', () => body)
    .replace('<!--written-->', () => (written === null ? '' : dataOf(written)))
}

/** The same for the shell, in which the browser paints the pages that are not written. */
export function fillShell(shell: string, written: Written): string {
  const brand = brandIn(written.answers)
  const titled =
    brand === undefined
      ? shell
      : shell.replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(brand)}</title>`)
  return titled.replace('<div id="app"></div>', (place) => place + dataOf(written))
}

const dataOf = (written: Written) => `<data id="written" value="${escaped(JSON.stringify(written))}"></data>`

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Link previews say what the page's own head says; the texts are escaped there already. */
function previewOf(head: string): string {
  const title = /<title>([^<]*)<\/title>/.exec(head)?.[1] ?? ''
  const description = /<meta name="description" content="([^"]*)"/.exec(head)?.[1] ?? ''
  return [
    `<meta property="og:title" content="${title}" data-page>`,
    `<meta property="og:description" content="${description}" data-page>`,
  ].join('')
}
