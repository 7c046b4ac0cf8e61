/**
 * The public pages as files: a template per page and language, which the server fills with what it knows, and the
 * filled page with nothing known, for when the server knows nothing; the sitemap and robots.txt.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { entry, filesOf, type Manifest, readManifest, starter } from './manifest.ts'
import type { Language, Writer } from './writer.ts'

/** Stands for the address customers use, which only the server knows. */
export const publicUrlToken = 'https://public-url.invalid'
const languages: readonly Language[] = ['ru', 'en']

/** `/` is home, `/rules` is rules. */
export const nameOf = (page: string) => (page === '/' ? 'home' : page.slice(1))

const absolute = (page: string, language: Language, { localPath }: Writer) => {
  const address = localPath(page, language)
  return publicUrlToken + (address === '/' ? '/' : address)
}

/** Twins, canonical address and link preview; `data-page` says that they are about this page alone. */
export function headOf(page: string, language: Language, writer: Writer): string {
  const own = absolute(page, language, writer)
  const link = (rel: string, href: string, more = '') => `<link rel="${rel}" href="${href}"${more} data-page>`
  const meta = (property: string, content: string) =>
    `<meta property="${property}" content="${content}" data-page>`
  return [
    link('canonical', own),
    ...languages.map((each) => link('alternate', absolute(page, each, writer), ` hreflang="${each}"`)),
    link('alternate', absolute(page, 'ru', writer), ' hreflang="x-default"'),
    meta('og:type', 'website'),
    meta('og:url', own),
    meta('og:locale', language === 'ru' ? 'ru_RU' : 'en_US'),
    meta('og:image', `${publicUrlToken}/og/${language}-${nameOf(page)}.png`),
    meta('og:image:width', '1200'),
    meta('og:image:height', '630'),
    '<meta name="twitter:card" content="summary_large_image" data-page>',
  ].join('\n    ')
}

/** The page of a path that is known to be one. */
export function pageOf({ publicPages }: Writer, page: string) {
  const found = publicPages[page]
  if (found === undefined) throw new Error(`${page} is no public page`)
  return found
}

/** The tags by which a page asks for its scripts. */
const scriptTags = /\s*<(?:script type="module"|link rel="modulepreload")[^>]*>(?:<\/script>)?/g

/**
 * The built shell, made the template of one page: its language, its files, places to fill. Style sheets and faces are
 * asked for at once; the page can be read before its scripts are here, so they wait in a `<template>` for `start.ts`.
 */
export function templateOf(
  shell: string,
  manifest: Manifest,
  page: string,
  language: Language,
  writer: Writer,
): string {
  const { source, texts } = pageOf(writer, page)
  const textFiles = ['header', ...texts].map((name) => `locales/${language}/${name}.json`)
  const { js, css } = filesOf(manifest, [entry, source, ...textFiles])
  const missing = (file: string) => !shell.includes(`"/${file}"`)
  const scripts = [
    ...(shell.match(scriptTags) ?? []).map((tag) => tag.trim()),
    ...js.filter(missing).map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
  ]
  const starters = filesOf(manifest, [starter]).js
  const head = [
    '<!--head-->',
    headOf(page, language, writer),
    ...css.filter(missing).map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
    `<template id="scripts">${scripts.join('')}</template>`,
    ...starters.map((file) => `<script type="module" crossorigin src="/${file}"></script>`),
  ].join('\n    ')
  const changes: [RegExp, string][] = [
    [/<html lang="ru">/, `<html lang="${language}">`],
    [/\s*<title>[^<]*<\/title>/, ''],
    [scriptTags, ''],
    [/<\/head>/, `  ${head}\n  </head>`],
    [/<div id="app"><\/div>/, '<div id="app"><!--body--></div>\n    <!--written-->'],
  ]
  const template = changes.reduce((text, [what, by]) => {
    if (text.search(what) < 0) throw new Error(`the shell has no ${what.source}`)
    return text.replace(what, () => by)
  }, shell)
  return template.replaceAll(/<(?:script type="module"|link rel="modulepreload")/g, '$& fetchpriority="low"')
}

function sitemap(writer: Writer): string {
  const twins = (page: string) =>
    [...languages.map((each) => [each, each] as const), ['x-default', 'ru'] as const]
      .map(([tag, each]) => {
        const href = absolute(page, each, writer)
        return `    <xhtml:link rel="alternate" hreflang="${tag}" href="${href}"/>`
      })
      .join('\n')
  const urls = writer.publicPaths.flatMap((page) =>
    languages.map(
      (each) => `  <url>\n    <loc>${absolute(page, each, writer)}</loc>\n${twins(page)}\n  </url>`,
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

Sitemap: ${publicUrlToken}/sitemap.xml
`

/** Writes all of it into the folder of the build. */
export async function writePages(folder: string, writer: Writer): Promise<void> {
  const shell = readFileSync(path.join(folder, 'index.html'), 'utf8')
  const manifest = readManifest(folder)
  const put = (file: string, text: string) => {
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
  for (const page of writer.publicPaths) {
    for (const language of languages) {
      const template = templateOf(shell, manifest, page, language, writer)
      put(`.server/templates/${language}/${nameOf(page)}.html`, template)
      const { head, body } = await writer.writePage(page, language, { answers: [] })
      put(
        `.server/pages/${language}/${nameOf(page)}.html`,
        writer.fill(template, { head, body, written: null }),
      )
    }
  }
  put('.server/pages/sitemap.xml', sitemap(writer))
  put('.server/pages/robots.txt', robots)
}
