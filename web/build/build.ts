/**
 * Builds the web application into a folder: `node web/build/build.ts <folder>`. The browser's files, what writes pages
 * in the server, the pages themselves; the files are also laid down compressed. Fails when a page is too heavy.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { sentenceOf, tooHeavy, weigh } from './budgets.ts'
import { readManifest } from './manifest.ts'
import { pageOf, writePages } from './pages.ts'
import type { Writer } from './writer.ts'

// React and the router have a slower build for development, which they choose by this.
process.env['NODE_ENV'] = 'production'

const [given, ...flags] = process.argv.slice(2)
if (given === undefined) throw new Error('usage: node web/build/build.ts <folder> [--sizes]')
const folder = path.resolve(given)
const root = path.resolve(import.meta.dirname, '../..')
const configFile = path.join(root, 'vite.config.ts')
const shared = { configFile, logLevel: 'warn' } as const

await build({ ...shared, build: { outDir: folder, emptyOutDir: true } })
await build({
  ...shared,
  build: { ssr: 'prerender.tsx', outDir: path.join(folder, '.server'), emptyOutDir: true },
})
const writer = (await import(pathToFileURL(path.join(folder, '.server/prerender.js')).href)) as Writer
await writePages(folder, writer)

const pages = writer.publicPaths.map((page) => ({ path: page, ...pageOf(writer, page) }))
const weights = weigh(folder, readManifest(folder), pages)
const heavy = weights.filter(tooHeavy)
if (flags.includes('--sizes')) process.stdout.write(`${weights.map(sentenceOf).join('\n')}\n`)
if (heavy.length > 0) {
  process.stderr.write(`Too heavy:\n${heavy.map(sentenceOf).join('\n')}\n`)
  process.exit(1)
}

// A server that compressed these on every request would do the same work all day.
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
for (const name of readdirSync(path.join(folder, 'assets'))) {
  if (!/\.(js|css|svg)$/.test(name)) continue
  const file = path.join(folder, 'assets', name)
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, quality))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
process.exit(0)
