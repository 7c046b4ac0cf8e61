/** Which tests there are, and which a page names: `file › title`, with the groups between the two where one likes. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

interface Node {
  type: string
  [field: string]: unknown
}

const root = path.join(import.meta.dirname, '..')

interface NamedTest {
  file: string
  title: string
}

/** The tests that a text names; a file without a folder is one of `folder`. */
export function testsNamedIn(text: string, folder: string): NamedTest[] {
  return [...text.matchAll(/`([\w./-]+\.(?:spec|test)\.ts) › ([^`]+)`/g)].map(
    ([, file = '', title = '']) => ({
      file: file.includes('/') ? file : `${folder}/${file}`,
      title,
    }),
  )
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

const calls = /^(test|it|describe|test\.describe|it\.each|describe\.each)$/

function nameOf(callee: unknown): string {
  if (!isNode(callee)) return ''
  if (callee.type === 'Identifier') return String(callee['name'])
  if (callee.type === 'CallExpression') return nameOf(callee['callee'])
  if (callee.type !== 'MemberExpression') return ''
  return `${nameOf(callee['object'])}.${nameOf(callee['property'])}`
}

const escaped = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

/** A title as a pattern: what the program puts in stands for anything. */
function patternOf(title: unknown): string | null {
  if (!isNode(title)) return null
  if (title.type === 'Literal') return escaped(String(title['value'])).replaceAll(/%[sdij]/g, '.+')
  if (title.type !== 'TemplateLiteral') return null
  const pieces = title['quasis'] as { value: { cooked: string } }[]
  return pieces.map(({ value }) => escaped(value.cooked)).join('.+')
}

function* titlesIn(node: Node, groups: readonly string[] = []): Generator<string> {
  let inside = groups
  if (node.type === 'CallExpression' && calls.test(nameOf(node['callee']))) {
    const pattern = patternOf((node['arguments'] as unknown[])[0])
    if (pattern !== null) {
      inside = [...groups, pattern]
      // With all of its groups, or the innermost few.
      for (const from of inside.keys()) yield inside.slice(from).join(' › ')
    }
  }
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* titlesIn(child, inside)
}

const known = new Map<string, RegExp[]>()

function titlesOf(file: string): RegExp[] {
  const titles = known.get(file)
  if (titles !== undefined) return titles
  const full = path.join(root, file)
  if (!existsSync(full)) return []
  const { program } = parseSync(full, readFileSync(full, 'utf8'))
  const found = [...titlesIn(program as unknown as Node)].map((title) => new RegExp(`^(.+ › )?${title}$`))
  known.set(file, found)
  return found
}

/** Those of them that do not exist, as they are named. */
export function notThere(named: readonly NamedTest[]): string[] {
  return named
    .filter(({ file, title }) => !titlesOf(file).some((pattern) => pattern.test(title)))
    .map(({ file, title }) => `${file} › ${title}`)
}
