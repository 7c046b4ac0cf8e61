/** The banners that customers put on their sites: the shop's name and accent, and nothing of other people. */
import type { FastifyInstance } from 'fastify'
import { brandOfBanners } from '#content'
import { bannerOfFile, bannersPath, type BannerSize, dimensionsOf } from '#contract/banners/banners'
import { tokensOf } from '#contract/colours'
import type { Language } from '#contract/language'
import type { Database } from '#db'

const words: Record<Language, { line: string; act: string }> = {
  ru: { line: 'Прокси с оплатой за гигабайт', act: 'Выбрать прокси' },
  en: { line: 'Proxies by the gigabyte', act: 'Choose proxies' },
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Text of an XML document. Control characters have no place in one. */
const escaped = (text: string) =>
  text.replace(/\p{Cc}/gu, ' ').replace(/[&<>"']/g, (character) => entities[character] ?? '')

interface Line {
  x: number
  y: number
  size: number
  /** The text is squeezed when it is estimated to be wider. */
  most: number
}

/** The average width of a bold letter, in sizes of the font. */
const letterWidth = 0.62

function text(content: string, { x, y, size, most }: Line, more: string): string {
  const isWide = [...content].length * letterWidth * size > most
  const squeezed = isWide ? ` textLength="${most}" lengthAdjust="spacingAndGlyphs"` : ''
  return `<text x="${x}" y="${y}" font-size="${size}"${squeezed} ${more}>${escaped(content)}</text>`
}

/** Where the name, the line and the button (left, top, width, height) are. */
const layouts: Record<BannerSize, { name: Line; line: Line; button: [number, number, number, number] }> = {
  '300x250': {
    name: { x: 24, y: 74, size: 34, most: 252 },
    line: { x: 24, y: 110, size: 17, most: 252 },
    button: [24, 178, 252, 48],
  },
  '728x90': {
    name: { x: 28, y: 43, size: 30, most: 460 },
    line: { x: 28, y: 69, size: 17, most: 460 },
    button: [528, 22, 176, 46],
  },
  '468x60': {
    name: { x: 18, y: 28, size: 20, most: 280 },
    line: { x: 18, y: 47, size: 13, most: 280 },
    button: [318, 13, 136, 34],
  },
}

/** A banner as SVG. */
export function banner(
  { name, accent }: { name: string; accent: string },
  size: BannerSize,
  language: Language,
): string {
  const { width, height } = dimensionsOf(size)
  const { paint, 'on-paint': onPaint } = tokensOf(accent, 'light')
  const { line, act } = words[language]
  const layout = layouts[size]
  const [left, top, wide, high] = layout.button
  const label = {
    x: left + wide / 2,
    y: top + high / 2 + 5,
    size: size === '468x60' ? 13 : 15,
    most: wide - 16,
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'Segoe UI', Roboto, Arial, sans-serif">`,
    `<title>${escaped(name)}</title>`,
    `<rect width="${width}" height="${height}" fill="#1b1c1f"/>`,
    `<rect width="6" height="${height}" fill="${paint}"/>`,
    text(name, layout.name, 'font-weight="700" fill="#ffffff"'),
    text(line, layout.line, 'fill="#c9cacd"'),
    `<rect x="${left}" y="${top}" width="${wide}" height="${high}" rx="8" fill="${paint}"/>`,
    text(act, label, `font-weight="600" text-anchor="middle" fill="${onPaint}"`),
    '</svg>',
  ].join('')
}

/** Other sites show it, so it may be embedded; it runs and loads nothing. */
export function mountBanners(server: FastifyInstance, database: Database): void {
  server.get<{ Params: { file: string } }>(`${bannersPath}:file`, async (request, reply) => {
    const wanted = bannerOfFile(request.params.file)
    if (wanted === null) return reply.callNotFound()
    return reply
      .header('cache-control', 'public, max-age=3600')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'cross-origin')
      .type('image/svg+xml')
      .send(banner(await brandOfBanners(database.db), wanted.size, wanted.language))
  })
}
