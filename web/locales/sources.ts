/** What the sources of the pages say about texts: which keys they ask for, and what they say without asking. */
import { parseSync } from 'vite'

interface Node {
  type: string
  [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** A node and everything below it, with what it stands in. */
function* walk(node: Node, above: readonly Node[] = []): Generator<[node: Node, above: readonly Node[]]> {
  yield [node, above]
  const inside = [node, ...above]
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child, inside)
}

export interface Source {
  /** Every piece of text in the program's own words: keys of texts are among them. */
  literals: ReadonlySet<string>
  /** Keys put together by the program, `tab.*`. */
  computed: ReadonlySet<string>
  /** The namespaces it has texts of; none for a file that only names keys for others. */
  namespaces: ReadonlySet<string>
  /** Words that a person would read or hear and that no translator would find. */
  spoken: string[]
}

/** Attributes whose text people read or hear. */
const speaking = new Set([
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

/** Elements whose `name` and `content` are for programs. */
const silent = new Set(['meta', 'input', 'link'])
const hasWord = (text: string) => /\p{L}{2,}/u.test(text)
const stringOf = (node: unknown): string | null =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null

export function readSource(file: string, code: string): Source {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const literals = new Set<string>()
  const computed = new Set<string>()
  const namespaces = new Set<string>()
  const spoken: string[] = []
  for (const [node, above] of walk(program as unknown as Node)) {
    const literal = stringOf(node)
    if (literal !== null) literals.add(literal)
    if (node.type === 'TemplateLiteral' && above.some(isTranslation)) computed.add(patternOf(node))
    for (const namespace of namespacesOf(node)) namespaces.add(namespace)
    spoken.push(...spokenIn(node, above))
  }
  return { literals, computed, namespaces, spoken }
}

const calleeOf = (node: Node): string | null => {
  const callee = node.type === 'CallExpression' ? node['callee'] : null
  return isNode(callee) && callee.type === 'Identifier' ? String(callee['name']) : null
}

const isTranslation = (node: Node) => ['t', 'text'].includes(calleeOf(node) ?? '')

/** `tab.${each}` is `tab.*`. */
function patternOf(node: Node): string {
  const pieces = node['quasis'] as { value: { cooked: string } }[]
  return pieces.map(({ value }) => value.cooked).join('*')
}

/** The first parameter of `useTranslation`, `text` and `loadTexts`, and all of `loadTexts`. */
function namespacesOf(node: Node): string[] {
  const callee = calleeOf(node)
  if (callee === null || !['useTranslation', 'text'].includes(callee)) return []
  const [first] = node['arguments'] as Node[]
  if (first?.type === 'ArrayExpression')
    return (first['elements'] as unknown[]).map((each) => stringOf(each) ?? '')
  return [stringOf(first) ?? '']
}

/** Text between tags, and text in attributes that people read; not what is only compared with or chosen by. */
function spokenIn(node: Node, above: readonly Node[]): string[] {
  if (node.type === 'JSXText') return says(String(node['value']).trim())
  const text = node.type === 'TemplateLiteral' ? patternOf(node).replaceAll('*', ' ') : stringOf(node)
  if (text === null || !hasWord(text)) return []
  const from = placeOf(above, node)
  return from === null ? [] : says(text)
}

const says = (text: string) => (hasWord(text) ? [text] : [])

/** The attribute or element whose value this very text becomes; null when it only decides about something else. */
function placeOf(above: readonly Node[], own: Node): Node | null {
  let below = own
  for (const [index, node] of above.entries()) {
    if (node.type === 'ConditionalExpression' && node['test'] === below) return null
    if (
      node.type === 'JSXExpressionContainer' ||
      node.type === 'ConditionalExpression' ||
      node.type === 'LogicalExpression'
    ) {
      below = node
      continue
    }
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') return node
    if (node.type !== 'JSXAttribute') return null
    const attribute = node['name'] as { name?: unknown }
    const element = above[index + 1]?.['name'] as { name?: unknown } | undefined
    return speaking.has(String(attribute.name)) && !silent.has(String(element?.name)) ? node : null
  }
  return null
}
