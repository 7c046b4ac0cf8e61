/** The flags of all countries in one SVG file, fetched once and cached for good. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { optimize } from 'svgo'
import type { Plugin } from 'vite'

/** The folder of the package with the flags. */
export const flagFolder = () =>
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
  const viewBox = /viewBox="([^"]+)"/.exec(svg)?.[1]
  if (viewBox === undefined) throw new Error(`the flag ${country} has no viewBox`)
  const { data } = optimize(svg, {
    // Flags are shown in 21 pixels: an error of a rounded coordinate is a twentieth of one at the most.
    floatPrecision: Number(viewBox.split(' ')[2]) >= 200 ? 0 : 1,
    plugins: ['preset-default', { name: 'prefixIds', params: { prefix: country, delim: '-' } }],
  })
  const inside = data.replace(/^<svg[^>]*>/, '').replace(/<\/svg>$/, '')
  return `<symbol id="${country}" viewBox="${viewBox}" preserveAspectRatio="none">${inside}</symbol>`
}

const name = 'virtual:flags'

/** Provides `virtual:flags`, the address of the sprite, the same in the browser and in the page renderer. */
export function flags(): Plugin {
  let made: { sprite: string; file: string } | undefined
  const make = () => (made ??= named(flagSprite()))
  return {
    name: 'flags',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${JSON.stringify(`/${make().file}`)}` : null),
    generateBundle() {
      const { sprite, file } = make()
      if (this.environment.config.consumer === 'client')
        this.emitFile({ type: 'asset', fileName: file, source: sprite })
    },
    configureServer(server) {
      const { sprite, file } = make()
      server.middlewares.use(`/${file}`, (_request, response) => {
        response.setHeader('content-type', 'image/svg+xml').end(sprite)
      })
    },
  }
}

function named(sprite: string) {
  const hash = createHash('sha256').update(sprite).digest('base64url').slice(0, 8)
  return { sprite, file: `assets/flags-${hash}.svg` }
}
