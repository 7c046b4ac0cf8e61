/**
 * Leaves out of the fonts what no page uses: weights outside of those in the style sheets, and ligatures. A
 * font has half the size then.
 */
import { createHash } from 'node:crypto'
import path from 'node:path'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

/** The weights that style sheets use. */
const weights = { min: 400, max: 700 } as const
/** Kerning, marks, forms of a language, figures of one width. */
const keepFeatures = ['kern', 'mark', 'mkmk', 'ccmp', 'locl', 'tnum', 'pnum']

/** The shop and the desk have the same fonts. */
const made = new Map<string, Promise<Buffer>>()

function slimOnce(font: Buffer): Promise<Buffer> {
  const id = createHash('sha256').update(font).digest('hex')
  const known = made.get(id) ?? slimFont(font)
  made.set(id, known)
  return known
}

export const slimFont = (font: Buffer): Promise<Buffer> =>
  subsetFont(font, undefined, {
    keepAllGlyphs: true,
    keepFeatures,
    variationAxes: { wght: weights },
    targetFormat: 'woff2',
  })

/** The weights are part of the name: browsers keep a file for a year. */
const nameOf = (names: readonly string[]) =>
  names.some((name) => path.extname(name) === '.woff2')
    ? `assets/[name]-${weights.min}-${weights.max}-[hash][extname]`
    : 'assets/[name]-[hash][extname]'

export function slimFonts(): Plugin {
  return {
    name: 'slim-fonts',
    apply: 'build',
    config: () => ({
      build: { rolldownOptions: { output: { assetFileNames: ({ names }) => nameOf(names) } } },
    }),
    async generateBundle(_options, bundle) {
      const fonts = Object.values(bundle).filter(({ fileName }) => fileName.endsWith('.woff2'))
      await Promise.all(
        fonts.map(async (font) => {
          if (font.type === 'asset') font.source = await slimOnce(Buffer.from(font.source))
        }),
      )
    },
  }
}
