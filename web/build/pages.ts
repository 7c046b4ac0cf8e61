/**
 * Writes the public pages: for each page and language a template, which the server fills with current data,
 * and the page rendered without data, which the server falls back to; the sitemap and robots.txt.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileNameOfFrame, frames } from '#contract/frames/frames'
import { type Language, languages } from '#contract/language'
import { legalPaths } from '#contract/legal/pages'
import type { PageRenderer } from '#contract/page-renderer'
import { fileNameOf, localPath, type PublicPath, publicPaths, publicUrlPlaceholder } from '#contract/pages'
import { entry, filesOf, login, type Manifest, readManifest, reads, starter } from './manifest.ts'

const absoluteUrl = (page: PublicPath, language: Language) => publicUrlPlaceholder + localPath(page, language)

const legal: ReadonlySet<string> = new Set(Object.values(legalPaths))
/** The name of the picture of a link preview: the legal pages have one together. */
const pictureOf = (page: PublicPath) => (legal.has(page) ? 'legal' : fileNameOf(page))

/**
 * The alternates, the canonical address and the link preview. `data-page` marks what describes this page
 * only.
 */
export function headOf(page: PublicPath, language: Language): string {
  const own = absoluteUrl(page, language)
  const link = (rel: string, href: string, more = '') => `<link rel="${rel}" href="${href}"${more} data-page>`
  const meta = (property: string, content: string) =>
    `<meta property="${property}" content="${content}" data-page>`
  return [
    link('canonical', own),
    ...languages.map((each) => link('alternate', absoluteUrl(page, each), ` hreflang="${each}"`)),
    link('alternate', absoluteUrl(page, 'ru'), ' hreflang="x-default"'),
    meta('og:type', 'website'),
    meta('og:url', own),
    meta('og:locale', language === 'ru' ? 'ru_RU' : 'en_US'),
    meta('og:image', `${publicUrlPlaceholder}/og/${language}-${pictureOf(page)}.png`),
    meta('og:image:width', '1200'),
    meta('og:image:height', '630'),
    '<meta name="twitter:card" content="summary_large_image" data-page>',
  ].join('\n    ')
}

/** The outline that the shell shows until its scripts run: a rendered page needs none. */
const outline = /\s*<(?:div class="opening".*<\/div>|link rel="stylesheet" href="\/opening\.css"[^>]*>)/g

/** The tags that load the scripts of the shell. */
const scriptTags = /\s*<(?:script type="module"|link rel="modulepreload")[^>]*>(?:<\/script>)?/g

/**
 * When the scripts of a page start (start.ts): those of a frame in the visitor's language already, after the
 * first paint; those of the account, which its customer waits for, at once.
 */
const startOf = (page: PublicPath | null, source: string) =>
  page !== null ? '' : source === login ? ' data-start="paint"' : ' data-start="now"'

interface PageSources {
  /** Null: a frame, whose address is not for search engines. */
  page: PublicPath | null
  language: Language
  /** The module of the page, as the manifest names it. */
  source: string
  /** Further modules that it loads at once. */
  parts?: readonly string[]
  /** The namespaces of its texts. */
  texts: readonly string[]
}

/**
 * The built shell as the template of one page: its language, its files, placeholders for its content. Style
 * sheets and fonts load at once; the page is readable without its scripts, so they wait in a `<template>` for
 * `start.ts`.
 */
export function templateOf(shell: string, manifest: Manifest, sources: PageSources): string {
  const { page, language, source, parts = [], texts } = sources
  const textFiles = ['header', ...texts].map((name) => `locales/${language}/${name}.json`)
  const { js, css } = filesOf(manifest, [
    entry,
    ...(source === login ? [] : [reads]),
    source,
    ...parts,
    ...textFiles,
  ])
  const isMissing = (file: string) => !shell.includes(`"/${file}"`)
  const scripts = [
    ...(shell.match(scriptTags) ?? []).map((tag) => tag.trim()),
    ...js.filter(isMissing).map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
  ]
  const starters = filesOf(manifest, [starter]).js
  const head = [
    '<!--head-->',
    page === null ? '' : headOf(page, language),
    ...css.filter(isMissing).map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
    `<template id="scripts"${startOf(page, source)}>${scripts.join('')}</template>`,
    ...starters.map((file) => `<script type="module" crossorigin src="/${file}"></script>`),
  ].join('\n    ')
  const replacements: [RegExp, string][] = [
    [/<html lang="ru">/, `<html lang="${language}">`],
    [/\s*<title>[^<]*<\/title>/, ''],
    [scriptTags, ''],
    [/<\/head>/, `  ${head}\n  </head>`],
    [/<div id="app"><\/div>/, '<div id="app"><!--body--></div>\n    <!--page-data-->'],
  ]
  const template = replacements.reduce(
    (text, [pattern, replacement]) => {
      if (text.search(pattern) < 0) throw new Error(`the shell does not match ${pattern.source}`)
      return text.replace(pattern, () => replacement)
    },
    shell.replaceAll(outline, ''),
  )
  return template.replaceAll(/<(?:script type="module"|link rel="modulepreload")/g, '$& fetchpriority="low"')
}

function sitemap(): string {
  const alternates = (page: PublicPath) =>
    [...languages.map((each) => [each, each] as const), ['x-default', 'ru'] as const]
      .map(([tag, each]) => {
        const href = absoluteUrl(page, each)
        return `    <xhtml:link rel="alternate" hreflang="${tag}" href="${href}"/>`
      })
      .join('\n')
  const urls = publicPaths.flatMap((page) =>
    languages.map(
      (each) => `  <url>\n    <loc>${absoluteUrl(page, each)}</loc>\n${alternates(page)}\n  </url>`,
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls.join('\n')}
</urlset>
`
}

const robots = `User-agent: *
Allow: /

Sitemap: ${publicUrlPlaceholder}/sitemap.xml
`

/** Writes all of it into the folder of the build. */
export async function writePages(folder: string, renderer: PageRenderer): Promise<void> {
  const shell = readFileSync(path.join(folder, 'index.html'), 'utf8')
  const manifest = readManifest(folder)
  const write = (file: string, text: string) => {
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
  for (const page of publicPaths) {
    for (const language of languages) {
      const template = templateOf(shell, manifest, { page, language, ...renderer.publicPages[page] })
      const name = `${language}/${fileNameOf(page)}.html`
      write(`.server/templates/${name}`, template)
      const { head, body } = await renderer.renderPage(page, language, { answers: [] })
      write(`.server/pages/${name}`, renderer.fillTemplate(template, { head, body, data: null }))
    }
  }
  for (const frame of frames) {
    for (const language of languages) {
      const template = templateOf(shell, manifest, { page: null, language, ...renderer.framePages[frame] })
      write(`.server/templates/${language}/${fileNameOfFrame(frame)}.html`, template)
    }
  }
  write('.server/pages/sitemap.xml', sitemap())
  write('.server/pages/robots.txt', robots)
}
