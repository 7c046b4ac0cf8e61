/** What of a build a page needs, read from Vite's manifest. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

interface Chunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
  css?: string[]
}
export type Manifest = Readonly<Record<string, Chunk>>

export interface Files {
  js: string[]
  css: string[]
}

export const entry = 'index.html'
/** What starts the scripts of a page that came written. */
export const starter = 'start.ts'

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8')) as Manifest
}

/** All files that are fetched when these modules are: their own, and what they import, each once. */
export function filesOf(manifest: Manifest, sources: readonly string[]): Files {
  const js = new Set<string>()
  const css = new Set<string>()
  const seen = new Set<string>()
  const visit = (source: string) => {
    if (seen.has(source)) return
    seen.add(source)
    const chunk = manifest[source]
    if (chunk === undefined) throw new Error(`the build has no ${source}`)
    for (const imported of chunk.imports ?? []) visit(imported)
    js.add(chunk.file)
    for (const sheet of chunk.css ?? []) css.add(sheet)
  }
  for (const source of sources) visit(source)
  return { js: [...js], css: [...css] }
}

/** Those of `files` that are not in `known`. */
export function beyond(files: Files, known: Files): Files {
  return {
    js: files.js.filter((file) => !known.js.includes(file)),
    css: files.css.filter((file) => !known.css.includes(file)),
  }
}
