/**
 * Which chunk contains each module: the manifest of Vite names the modules that are a chunk's own, but not
 * those that share one.
 */
import path from 'node:path'
import type { Plugin } from 'vite'

/** The file, beside the manifest. */
export const modulesFile = '.vite/modules.json'

/** Writes the file of the chunk of each module of the pages, by the path of the module. */
export function chunkOfModules(root: string): Plugin {
  return {
    name: 'chunk-of-modules',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((chunk) =>
        chunk.type === 'chunk'
          ? chunk.moduleIds
              .filter((id) => id.startsWith(`${root}/`))
              .map((id) => [path.relative(root, id), chunk.fileName])
          : [],
      )
      this.emitFile({
        type: 'asset',
        fileName: modulesFile,
        source: JSON.stringify(Object.fromEntries(files)),
      })
    },
  }
}
