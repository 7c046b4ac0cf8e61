// @vitest-environment node
/** Every call that shows a text gives what the text has places for: no `{{name}}` is left on a page. */
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { computed } from './computed-keys.ts'
import { flatten, type TextTree, withoutPlural } from './flatten.ts'
import { isNode, nameOf, type Node, nodesIn, walk } from './walk.ts'

const files = import.meta.glob<TextTree>('./*/*.json', { eager: true, import: 'default' })
const code = import.meta.glob<string>(
  ['../**/*.{ts,tsx}', '!../**/*.test.{ts,tsx}', '!../build/**', '!./**'],
  { eager: true, import: 'default', query: '?raw' },
)

/** The places of each text, in both languages, by `namespace:key`. Every page knows the brand. */
const places = new Map<string, Set<string>>()
for (const [path, tree] of Object.entries(files)) {
  const namespace = path.split('/')[2]?.replace('.json', '') ?? ''
  for (const [key, text] of flatten(tree)) {
    const name = `${namespace}:${withoutPlural(key)}`
    const known = places.get(name) ?? new Set()
    for (const [, place = ''] of text.matchAll(/\{\{(\w+)\}\}/g)) if (place !== 'brand') known.add(place)
    places.set(name, known)
  }
}

interface Shown {
  /** The key, or its pattern, with a star where it is computed. */
  key: string
  /** The given values; null: a value that is not written out here. */
  given: ReadonlySet<string> | null
}

const textOf = (node: unknown): string[] => {
  if (!isNode(node)) return []
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : []
  if (node.type === 'TemplateLiteral')
    return [(node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('*')]
  if (node.type === 'ConditionalExpression')
    return [...textOf(node['consequent']), ...textOf(node['alternate'])]
  return []
}

function givenBy(node: unknown): ReadonlySet<string> | null {
  if (node === undefined) return new Set()
  if (!isNode(node) || node.type !== 'ObjectExpression') return null
  const properties = nodesIn(node['properties'])
  if (properties.some(({ type }) => type === 'SpreadElement')) return null
  return new Set(properties.map(({ key }) => nameOf(key)))
}

/** The texts that a file shows by `t(key, values)` or `text(namespace, key, values)`, and its namespaces. */
function shownIn(file: string, source: string): { shown: Shown[]; namespaces: string[] } {
  const shown: Shown[] = []
  const namespaces: string[] = []
  for (const [node] of walk(parseSync(file, source).program as unknown as Node)) {
    if (node.type !== 'CallExpression') continue
    const callee = nameOf(node['callee'])
    const given = node['arguments'] as Node[]
    if (callee === 'useTranslation')
      namespaces.push(
        ...(given[0]?.type === 'ArrayExpression'
          ? nodesIn(given[0]['elements']).flatMap(textOf)
          : textOf(given[0])),
      )
    if (callee === 't') for (const key of textOf(given[0])) shown.push({ key, given: givenBy(given[1]) })
    if (callee === 'text')
      for (const namespace of textOf(given[0]))
        for (const key of textOf(given[1]))
          shown.push({ key: `${namespace}:${key}`, given: givenBy(given[2]) })
  }
  return { shown, namespaces: [...new Set(namespaces)] }
}

/** The texts that a key may mean. */
function meant(key: string, namespaces: readonly string[]): string[] {
  const keys = key.includes('*') ? (computed[key] ?? []).map((value) => key.replace('*', value)) : [key]
  return keys
    .flatMap((each) => (each.includes(':') ? [each] : namespaces.map((namespace) => `${namespace}:${each}`)))
    .filter((name) => places.has(name))
}

it('no text keeps a placeholder', () => {
  const left: string[] = []
  let checked = 0
  for (const [file, source] of Object.entries(code)) {
    const { shown, namespaces } = shownIn(file, source)
    for (const { key, given } of shown) {
      if (given === null) continue
      for (const name of meant(key, namespaces)) {
        checked += 1
        const missing = [...(places.get(name) ?? [])].filter((place) => !given.has(place))
        if (missing.length > 0) left.push(`${file}: ${key} (${name}) lacks ${missing.join(', ')}`)
      }
    }
  }
  expect(checked).toBeGreaterThan(2000)
  expect(left).toEqual([])
})
