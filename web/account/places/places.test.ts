// @vitest-environment node
/** The texts of each tab are loaded with it. */
import path from 'node:path'
import { expect, it } from 'vitest'
import { tabs } from '#contract/account-tabs'
import { readSource } from '../../locales/sources.ts'
import { textsOfAccount, textsOfTab } from './places.ts'

const code = import.meta.glob<string>(
  ['../../{account,state,ui}/**/*.{ts,tsx}', '!../../**/*.test.{ts,tsx}', '!../../ui/styles/**'],
  { eager: true, import: 'default', query: '?raw' },
)
const here = import.meta.dirname
const files = new Map(Object.entries(code).map(([file, text]) => [path.join(here, file), text]))

const imports = /^import (?!type\b)[^'";]*?from '(\.[^']+)'/gm

/** A module and those that it imports, without those that are fetched later. */
function reached(file: string, known = new Set<string>()): Set<string> {
  const text = files.get(file)
  if (text === undefined || known.has(file)) return known
  known.add(file)
  for (const [, imported = ''] of text.matchAll(imports))
    reached(path.resolve(path.dirname(file), imported), known)
  return known
}

/** The module of the content of a tab, as the bundle of its place imports it. */
function moduleOf(tab: string): string {
  for (const [bundle, text] of files) {
    if (path.dirname(bundle) !== here) continue
    const name = new RegExp(String.raw`contents\b[^=]*= \{[^}]*\b${tab}: (\w+)`).exec(text)?.[1]
    const source = new RegExp(String.raw`import \{ ${name} \} from '([^']+)'`).exec(text)?.[1]
    if (name !== undefined && source !== undefined) return path.resolve(here, source)
  }
  throw new Error(`no content of ${tab}`)
}

it.each(tabs)('%s has all texts that its components use', (tab) => {
  const loaded = new Set<string>(['header', ...textsOfAccount, ...textsOfTab[tab]])
  const modules = [...reached(moduleOf(tab))]
  const missing = modules.flatMap((file) =>
    [...readSource(file, files.get(file) ?? '').namespaces]
      .filter((namespace) => !loaded.has(namespace))
      .map((namespace) => `${path.relative(here, file)}: ${namespace}`),
  )
  expect(modules.length).toBeGreaterThan(1)
  expect(missing).toEqual([])
})
