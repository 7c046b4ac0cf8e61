/**
 * Resolves imports between files of this program in place of Node.js, which reads and parses package.json,
 * with all its `imports`, for each of them. That takes two fifths of the time in which the program is loaded,
 * and leaves more garbage than the program has memory. Each process calls it before it imports anything else,
 * so this file imports no other.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')

/** The targets of package.json's `imports`, which are all files. */
interface Targets {
  exact: ReadonlyMap<string, string>
  /** Those that end with `*`: the beginning of the name, and the URL on both sides of the star. */
  beginning: readonly { begin: string; before: string; after: string }[]
}

function readTargets(rootUrl: string): Targets {
  const { imports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>
  }
  const entries = Object.entries(imports).map(([name, file]) => [name, new URL(file, rootUrl).href] as const)
  return {
    exact: new Map(entries.filter(([name]) => !name.endsWith('*'))),
    beginning: entries
      .filter(([name]) => name.endsWith('*'))
      .map(([name, url]) => {
        const [before = '', after = ''] = url.split('*')
        return { begin: name.slice(0, -1), before, after }
      }),
  }
}

function urlOf(name: string, { exact, beginning }: Targets): string | undefined {
  const url = exact.get(name)
  if (url !== undefined) return url
  const found = beginning.find(({ begin }) => name.startsWith(begin))
  return found && `${found.before}${name.slice(found.begin.length)}${found.after}`
}

type Resolve = (specifier: string, parent: string | undefined) => string | null

/** Resolves imports in files of `src/` and `contract/` to URLs; null: Node.js resolves this one. */
export function ownResolver(): Resolve {
  const rootUrl = `${pathToFileURL(root).href}/`
  const own = ['src/', 'contract/'].map((folder) => `${rootUrl}${folder}`)
  const targets = readTargets(rootUrl)
  return (specifier, parent) => {
    if (parent === undefined || !own.some((folder) => parent.startsWith(folder))) return null
    if (!/^[#.]/.test(specifier)) return null
    const url = specifier.startsWith('#') ? urlOf(specifier, targets) : new URL(specifier, parent).href
    return url?.endsWith('.ts') === true ? url : null
  }
}

/** Makes all later imports between files of this program resolve here. */
export function resolveOwnImports(): void {
  const resolveOwn = ownResolver()
  registerHooks({
    resolve(specifier, context, next) {
      const url = resolveOwn(specifier, context.parentURL)
      return url === null
        ? next(specifier, context)
        : { url, format: 'module-typescript', shortCircuit: true }
    },
  })
}
