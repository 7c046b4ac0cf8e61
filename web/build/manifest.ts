/** The files of the modules of a build, read from the manifest of Vite. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { modulesFile } from './modules.ts'

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
/** The script that starts the others on a prerendered page. */
export const starter = 'start.ts'

/** The chunks by module; a chunk of several modules is found by each of them. */
export function readManifest(folder: string): Manifest {
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as unknown
  const manifest = read('.vite/manifest.json') as Manifest
  if (!existsSync(path.join(folder, modulesFile))) return manifest
  const chunks = new Map(Object.values(manifest).map((chunk) => [chunk.file, chunk]))
  const shared = Object.entries(read(modulesFile) as Record<string, string>).flatMap(
    ([source, file]): [string, Chunk][] => {
      const chunk = chunks.get(file)
      return chunk === undefined ? [] : [[source, chunk]]
    },
  )
  return { ...Object.fromEntries(shared), ...manifest }
}

/** The page of signing in, which reads no data. */
export const login = 'storefront/auth/login.tsx'

/** The module of the pages that read data: all but those of signing in. */
export const reads = 'shell/query-provider.tsx'

/** The files of these modules and of all that they import, each once, imports first. */
export function filesOf(manifest: Manifest, sources: readonly string[]): Files {
  const js = new Set<string>()
  const css = new Set<string>()
  const visited = new Set<string>()
  const visit = (source: string) => {
    if (visited.has(source)) return
    visited.add(source)
    const chunk = manifest[source]
    if (chunk === undefined) throw new Error(`the build has no ${source}`)
    for (const imported of chunk.imports ?? []) visit(imported)
    js.add(chunk.file)
    for (const sheet of chunk.css ?? []) css.add(sheet)
  }
  for (const source of sources) visit(source)
  return { js: [...js], css: [...css] }
}

/** The files that are not among `loaded`. */
export function without(files: Files, loaded: Files): Files {
  return {
    js: files.js.filter((file) => !loaded.js.includes(file)),
    css: files.css.filter((file) => !loaded.css.includes(file)),
  }
}
