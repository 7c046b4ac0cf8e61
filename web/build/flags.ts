/** The flags of all countries in one SVG file, fetched once and cached for good. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Plugin } from 'vite'
import { wholePath } from './path-data.ts'

const flagFolder = () =>
  path.join(path.dirname(createRequire(import.meta.url).resolve('country-flag-icons/package.json')), '3x2')

/**
 * The sprite: a symbol per country, its id the country code in lower case. Ids inside a flag are prefixed
 * with it.
 */
export function flagSprite(): string {
  const folder = flagFolder()
  const symbols = readdirSync(folder)
    .filter((file) => /^[A-Z]{2}\.svg$/.test(file))
    .toSorted()
    .map((file) => symbol(file.slice(0, 2).toLowerCase(), readFileSync(path.join(folder, file), 'utf8')))
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`
}

function symbol(country: string, svg: string): string {
  const [, attributes = '', inside = ''] = /<svg([^>]*)>([\s\S]*)<\/svg>/.exec(svg) ?? []
  const viewBox = /viewBox="([^"]+)"/.exec(attributes)?.[1]
  if (viewBox === undefined) throw new Error(`the flag ${country} has no viewBox`)
  const grid = gridOf(Number(viewBox.split(' ')[2]))
  const content = inside
    .replaceAll(/ d="([^"]+)"/g, (_path, data: string) => ` d="${wholePath(data, grid)}"`)
    .replaceAll(/ (cx|cy|r|rx|ry|stroke-width)="([\d.]+)"/g, (attribute, name: string, value: string) =>
      grid < 1 ? attribute : ` ${name}="${Number(Number(value).toFixed(1))}"`,
    )
    .replaceAll(/\bid="([^"]+)"/g, `id="${country}-$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${country}-$1)`)
    .replaceAll(/href="#([^"]+)"/g, `href="#${country}-$1"`)
  return `<symbol id="${country}" viewBox="${viewBox}" preserveAspectRatio="none">${content}</symbol>`
}

/**
 * Flags are shown in 21 pixels: coordinates of this many units, of a drawing so wide, are about a twelfth of
 * one.
 */
function gridOf(width: number): number {
  if (width >= 500) return 2
  if (width >= 200) return 1
  return width >= 60 ? 0.5 : 0.1
}

const name = 'virtual:flags'

/** Provides `virtual:flags`, the address of the sprite, the same in the browser and in the page renderer. */
export function flags(): Plugin {
  const sprite = flagSprite()
  const hash = createHash('sha256').update(sprite).digest('base64url').slice(0, 8)
  const file = `assets/flags-${hash}.svg`
  return {
    name: 'flags',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${JSON.stringify(`/${file}`)}` : null),
    generateBundle() {
      if (this.environment.config.consumer === 'client')
        this.emitFile({ type: 'asset', fileName: file, source: sprite })
    },
    configureServer(server) {
      server.middlewares.use(`/${file}`, (_request, response) => {
        response.setHeader('content-type', 'image/svg+xml').end(sprite)
      })
    },
  }
}
