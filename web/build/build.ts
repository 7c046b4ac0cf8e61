/**
 * Builds the pages: `node web/build/build.ts <folder of the shop> <folder of the desk>`. The files of the
 * browser, the page renderer of the server, the public pages of the shop; assets are also stored compressed.
 * Fails when a page exceeds its size limit.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { frames } from '#contract/frames/frames'
import { languages } from '#contract/language'
import type { PageRenderer } from '#contract/page-renderer'
import { publicPaths } from '#contract/pages'
import {
  countFiles,
  describeSize,
  isOverLimit,
  measure,
  measureDesk,
  measureFlags,
  measureFonts,
  measureFrames,
  mostFiles,
} from './budgets.ts'
import { readManifest } from './manifest.ts'
import { writePages } from './pages.ts'

// React and the router choose their production builds by this.
process.env['NODE_ENV'] = 'production'

const [shop, desk, ...flags] = process.argv.slice(2)
if (shop === undefined || desk === undefined)
  throw new Error('usage: node web/build/build.ts <folder of the shop> <folder of the desk> [--sizes]')
const folder = path.resolve(shop)
const deskFolder = path.resolve(desk)
const root = path.resolve(import.meta.dirname, '../..')
const configFile = path.join(root, 'vite.config.ts')
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const shared = { configFile, logLevel: 'warn' } as const

await build({ ...shared, build: { outDir: folder, emptyOutDir: true } })
await build({
  ...shared,
  build: { ssr: 'prerender.tsx', outDir: path.join(folder, '.server'), emptyOutDir: true },
})
await build({
  configFile: path.join(root, 'vite.desk.config.ts'),
  logLevel: 'warn',
  build: { outDir: deskFolder, emptyOutDir: true },
})
const rendererFile = path.join(folder, '.server/prerender.js')
// V8 keeps a source text with two bytes for each character when one of them is Cyrillic.
const rendererText = readFileSync(rendererFile, 'utf8')
writeFileSync(rendererFile, rendererText.replaceAll(/[^\0-\x7f]/g, escapeUnit))
const renderer = (await import(pathToFileURL(rendererFile).href)) as PageRenderer
await writePages(folder, renderer)

// Compressed once here rather than on every request.
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
for (const assets of [path.join(folder, 'assets'), path.join(deskFolder, 'assets')]) {
  for (const name of readdirSync(assets)) {
    if (!/\.(js|css|svg)$/.test(name)) continue
    const file = path.join(assets, name)
    const bytes = readFileSync(file)
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, quality))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

const pages = publicPaths.map((page) => ({ path: page, ...renderer.publicPages[page] }))
const sizes = [
  ...measure(folder, readManifest(folder), pages),
  ...measureFrames(folder, readManifest(folder), renderer.framePages),
  ...measureFlags(folder),
  ...measureFonts(folder),
  ...measureDesk(deskFolder, readManifest(deskFolder)),
]
const overLimit = sizes.filter(isOverLimit)
const manifest = readManifest(folder)
const counts = frames.flatMap((frame) =>
  languages.map((language) => ({
    frame,
    language,
    files: countFiles(manifest, renderer.framePages[frame], language),
  })),
)
const describeCount = ({ frame, language, files }: (typeof counts)[number]) =>
  `${String(files).padStart(6)} of ${String(mostFiles(frame)).padStart(3)} files  ${frame} in ${language}`
const tooMany = counts.filter(({ frame, files }) => files > mostFiles(frame))
if (flags.includes('--sizes')) process.stdout.write(`${counts.map(describeCount).join('\n')}\n`)
if (tooMany.length > 0) {
  process.stderr.write(`Too many files:\n${tooMany.map(describeCount).join('\n')}\n`)
  process.exit(1)
}
if (flags.includes('--sizes')) process.stdout.write(`${sizes.map(describeSize).join('\n')}\n`)
if (overLimit.length > 0) {
  process.stderr.write(`Over the size limit:\n${overLimit.map(describeSize).join('\n')}\n`)
  process.exit(1)
}

process.exit(0)
