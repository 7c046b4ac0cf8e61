/**
 * Static analysis of components for the tests of texts: the keys they use, and visible text in the code
 * itself.
 */
import { parseSync } from 'vite'
import { isNode, type Node, walk } from './walk.ts'

export interface Source {
  /** All string literals; the keys of texts are among them. */
  literals: ReadonlySet<string>
  /** Keys computed from templates, as patterns: `tab.*`. */
  computed: ReadonlySet<string>
  /** The namespaces the file uses; empty for a file that only contains keys for others. */
  namespaces: ReadonlySet<string>
  /** Text visible or read out to users that is not in the text files. */
  visible: string[]
  /** The keys, or their patterns, with the values that the call gives; those of computed values are left out. */
  calls: { key: string; values: ReadonlySet<string> }[]
}

/** Attributes whose text is visible or read out to users. */
const visibleAttributes = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'aria-placeholder',
  'title',
  'placeholder',
  'alt',
  'label',
  'hint',
  'heading',
  'lead',
  'description',
  'text',
  'name',
  'content',
])

/** Elements whose `name` and `content` are not shown. */
const hiddenElements = new Set(['meta', 'input', 'link'])
const hasWord = (text: string) => /\p{L}{2,}/u.test(text)
const stringOf = (node: unknown): string | null =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null

export function readSource(file: string, code: string): Source {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const literals = new Set<string>()
  const computed = new Set<string>()
  const namespaces = new Set<string>()
  const visible: string[] = []
  const calls: Source['calls'] = []
  for (const [node, ancestors] of walk(program as unknown as Node)) {
    const literal = stringOf(node)
    if (literal !== null) literals.add(literal)
    if (node.type === 'TemplateLiteral' && ancestors.some(isTranslation)) computed.add(patternOf(node))
    for (const namespace of namespacesOf(node)) namespaces.add(namespace)
    visible.push(...visibleIn(node, ancestors))
    calls.push(...callsIn(node))
  }
  return { literals, computed, namespaces, visible, calls }
}

const calleeOf = (node: Node): string | null => {
  const callee = node.type === 'CallExpression' ? node['callee'] : null
  return isNode(callee) && callee.type === 'Identifier' ? String(callee['name']) : null
}

const isTranslation = (node: Node) => ['t', 'text'].includes(calleeOf(node) ?? '')

function callsIn(node: Node): Source['calls'] {
  if (!isTranslation(node)) return []
  const given = node['arguments'] as Node[]
  const [key, values] = calleeOf(node) === 'text' ? given.slice(1) : given
  const names = valuesIn(values)
  return names === null || key === undefined ? [] : keysIn(key).map((each) => ({ key: each, values: names }))
}

/** For `t(is ? 'a' : 'b')`, both keys. */
function keysIn(key: Node): string[] {
  if (key.type === 'ConditionalExpression')
    return [...keysIn(key['consequent'] as Node), ...keysIn(key['alternate'] as Node)]
  if (key.type === 'TemplateLiteral') return [patternOf(key)]
  const literal = stringOf(key)
  return literal === null ? [] : [literal]
}

/** The names of the values; null: not all of them are written there. */
function valuesIn(values: Node | undefined): ReadonlySet<string> | null {
  if (values === undefined) return new Set()
  if (values.type !== 'ObjectExpression') return null
  const names = (values['properties'] as Node[]).map((property) => {
    const key = property['key'] as { name?: string } | undefined
    return property.type === 'Property' ? key?.name : undefined
  })
  return names.every((name) => name !== undefined) ? new Set(names) : null
}

/** `tab.${each}` is `tab.*`. */
function patternOf(node: Node): string {
  const pieces = node['quasis'] as { value: { cooked: string } }[]
  return pieces.map(({ value }) => value.cooked).join('*')
}

/** The namespaces in the first argument of `useTranslation` and `text`. */
function namespacesOf(node: Node): string[] {
  const callee = calleeOf(node)
  if (callee === null || !['useTranslation', 'text'].includes(callee)) return []
  const [first] = node['arguments'] as Node[]
  if (first?.type === 'ArrayExpression')
    return (first['elements'] as unknown[]).map((each) => stringOf(each) ?? '')
  return [stringOf(first) ?? '']
}

/** Text between tags and in visible attributes; not text that is only compared. */
function visibleIn(node: Node, ancestors: readonly Node[]): string[] {
  if (node.type === 'JSXText') return ifWords(String(node['value']).trim())
  const text = node.type === 'TemplateLiteral' ? patternOf(node).replaceAll('*', ' ') : stringOf(node)
  if (text === null || !hasWord(text)) return []
  return isShown(node, ancestors) ? ifWords(text) : []
}

const ifWords = (text: string) => (hasWord(text) ? [text] : [])

/** Whether the value of a node becomes the content of an element or of a visible attribute. */
function isShown(node: Node, ancestors: readonly Node[]): boolean {
  let child = node
  for (const [index, ancestor] of ancestors.entries()) {
    if (ancestor.type === 'ConditionalExpression' && ancestor['test'] === child) return false
    if (
      ancestor.type === 'JSXExpressionContainer' ||
      ancestor.type === 'ConditionalExpression' ||
      ancestor.type === 'LogicalExpression'
    ) {
      child = ancestor
      continue
    }
    if (ancestor.type === 'JSXElement' || ancestor.type === 'JSXFragment') return true
    if (ancestor.type !== 'JSXAttribute') return false
    const attribute = ancestor['name'] as { name?: unknown }
    const element = ancestors[index + 1]?.['name'] as { name?: unknown } | undefined
    return visibleAttributes.has(String(attribute.name)) && !hiddenElements.has(String(element?.name))
  }
  return false
}
