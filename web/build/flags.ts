/** The flags of all countries in one SVG file, fetched once and cached for good. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Plugin } from 'vite'
import { wholePath } from './path-data.ts'

const flagFolder = () =>
  path.join(path.dirname(createRequire(import.meta.url).resolve('country-flag-icons/package.json')), '3x2')

/** The sprite: a symbol per country, its id the country code in lower case. Ids inside a flag are prefixed with it. */
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
  // Most flags have 513 units across and are shown in 21 pixels: two units are a twelfth of one.
  const isLarge = Number(viewBox.split(' ')[2]) >= 500
  const content = inside
    .replaceAll(/ d="([^"]+)"/g, (path, data: string) => (isLarge ? ` d="${wholePath(data, 2)}"` : path))
    .replaceAll(/\bid="([^"]+)"/g, `id="${country}-$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${country}-$1)`)
    .replaceAll(/href="#([^"]+)"/g, `href="#${country}-$1"`)
  return `<symbol id="${country}" viewBox="${viewBox}" preserveAspectRatio="none">${content}</symbol>`
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
