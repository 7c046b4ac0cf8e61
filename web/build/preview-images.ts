/**
 * Draws the images of link previews into web/static/og: `node web/build/preview-images.ts`. Run by hand when
 * the design or the texts change; the images are committed, so that a build needs no browser.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { chromium } from '@playwright/test'

const root = path.resolve(import.meta.dirname, '../..')
const target = path.join(root, 'web/static/og')
const width = 1200
const height = 630

/** The file name of each page, the namespace of its texts, and the keys of the heading and the paragraph. */
const pages = [
  ['home', 'home', 'hero.heading', 'descriptionPlain'],
  ['proxy', 'proxyOnline', 'heading', 'lead'],
  ['shares', 'reviews', 'shares.heading', 'shares.description'],
  ['reviews', 'reviews', 'heading', 'intro'],
  ['rules', 'rules', 'title', 'subtitle'],
  ['docs', 'docs', 'heading', 'lead'],
  ['status', 'status', 'heading', 'lead'],
  ['legal', 'header', 'footer.documents', 'footer.claim'],
] as const

type Tree = { [key: string]: string | Tree }

function text(language: string, namespace: string, key: string): string {
  const file = path.join(root, 'web/locales', language, `${namespace}.json`)
  let found: string | Tree | undefined = JSON.parse(readFileSync(file, 'utf8')) as Tree
  for (const part of key.split('.')) found = typeof found === 'object' ? found[part] : undefined
  if (typeof found !== 'string') throw new Error(`${language}/${namespace} has no ${key}`)
  return found.replaceAll('{{brand}}', 'Turnpike')
}

const font = (name: string, file: string) => {
  const folder = path.dirname(
    createRequire(import.meta.url).resolve('@fontsource-variable/onest/package.json'),
  )
  const bytes = readFileSync(path.join(folder, 'files', file)).toString('base64')
  return `@font-face { font-family: ${name}; font-weight: 100 900; src: url(data:font/woff2;base64,${bytes}) format('woff2') }`
}

/**
 * The dashed centre line of a road in perspective, running from the bottom right of the image to the horizon.
 */
function dashes(): string {
  const horizon = 208
  const at = (y: number) => ({ x: 905 + (y - horizon) * 0.16, half: (y - horizon) * 0.026 })
  return [220, 229, 245, 272, 320, 404, 551]
    .map((top) => {
      const bottom = top + (top - horizon) * 0.4
      const [a, b] = [at(top), at(bottom)]
      return `<polygon points="${a.x - a.half},${top} ${a.x + a.half},${top} ${b.x + b.half},${bottom} ${b.x - b.half},${bottom}" fill="#FFC83D"/>`
    })
    .join('')
}

const scene = `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
  <path d="M0 208h${width}" stroke="#343A43" stroke-width="2"/>
  <path d="M901 208 560 ${height}H1390L909 208z" fill="#0C0E11"/>
  <path d="M901 208 580 ${height}M909 208 1366 ${height}" stroke="#A9AFB8" stroke-width="3" fill="none"/>
  ${dashes()}
</svg>`

const mark = `<svg width="76" height="76" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#242A32"/>
  <path d="M16 4.5v5.2M16 13.4v5.2M16 22.3v5.2" stroke="#FFC83D" stroke-width="4.2"/>
  <path d="M7 4.5v23M25 4.5v23" stroke="#5A616A" stroke-width="2"/></svg>`

const page = (heading: string, lead: string) => `<!doctype html><style>
  ${font('Onest', 'onest-cyrillic-wght-normal.woff2')}
  ${font('OnestLatin', 'onest-latin-wght-normal.woff2')}
  * { margin: 0; box-sizing: border-box }
  body { width: ${width}px; height: ${height}px; overflow: hidden; background: #171A1F; color: #ECEBE6; font-family: OnestLatin, Onest }
  svg { display: block } body > svg { position: absolute; inset: 0 }
  main { position: absolute; inset: 64px 72px; display: flex; flex-direction: column; align-items: flex-start }
  h1 { max-width: 620px; margin-top: auto; font-size: 78px; font-weight: 660; line-height: 1.06; letter-spacing: -0.028em; text-wrap: balance }
  p { max-width: 560px; margin-top: 26px; color: #BFC4CB; font-size: 29px; line-height: 1.36; text-wrap: pretty }
</style>${scene}<main>${mark}<h1>${heading}</h1><p>${lead}</p></main>`

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
mkdirSync(target, { recursive: true })
const tab = await browser.newPage({ viewport: { width, height } })
for (const language of ['ru', 'en']) {
  for (const [name, namespace, heading, lead] of pages) {
    await tab.setContent(page(text(language, namespace, heading), text(language, namespace, lead)))
    await tab.evaluate('document.fonts.ready')
    await tab.screenshot({ path: path.join(target, `${language}-${name}.png`) })
  }
}
await browser.close()
