/**
 * Static analysis of components: reads whose failure nothing shows. Such a read looks like an empty one, or
 * like one that is still under way. A part of a page that may be left out reads by `useOptionalRead`.
 */
import { parseSync } from 'vite'
import { isNode, nameOf, type Node, walk } from './walk.ts'

const reads = new Set(['useQuery', 'useInfiniteQuery'])
const failures = new Set(['isError', 'error', 'status'])

/** All nodes of a source file, each with its ancestors. Throws when it cannot be parsed. */
function nodesOf(file: string, code: string): [Node, readonly Node[]][] {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  return [...walk(program as unknown as Node)]
}

/** The reads of a file whose failure is not checked and whose state is not passed on as a whole. */
export function readsWithoutFailure(file: string, code: string): string[] {
  const nodes = nodesOf(file, code)
  return nodes.flatMap(([node, ancestors]) => {
    if (node.type !== 'CallExpression' || !reads.has(nameOf(node['callee']))) return []
    return isShown(ancestors, nodes) ? [] : [code.slice(Number(node['start']), Number(node['end']))]
  })
}

/**
 * The reads by pages of a file whose key is not made by `pagesKey`, in the call or in a constant: the same key
 * may belong to a plain read, whose data has another shape.
 */
export function pagesWithoutKey(file: string, code: string): string[] {
  const nodes = nodesOf(file, code).map(([node]) => node)
  const made = new Set(
    nodes
      .filter(({ type, init }) => type === 'VariableDeclarator' && isPagesKey(init))
      .map(({ id }) => nameOf(id)),
  )
  return nodes
    .filter(({ type, callee }) => type === 'CallExpression' && nameOf(callee) === 'useInfiniteQuery')
    .filter((read) => {
      const key = [...walk(read)].find(
        ([node]) => node.type === 'Property' && nameOf(node['key']) === 'queryKey',
      )?.[0]['value']
      return !isPagesKey(key) && !made.has(nameOf(key))
    })
    .map(({ start, end }) => code.slice(Number(start), Number(end)))
}

const isPagesKey = (node: unknown): boolean =>
  isNode(node) && node.type === 'CallExpression' && nameOf(node['callee']) === 'pagesKey'

function isShown([parent]: readonly Node[], nodes: readonly [Node, readonly Node[]][]): boolean {
  if (parent?.type !== 'VariableDeclarator') return parent?.type !== 'MemberExpression'
  const id = parent['id']
  if (!isNode(id)) return false
  if (id.type === 'ObjectPattern')
    return [...walk(id)].some(([part]) => part.type === 'Property' && failures.has(nameOf(part['key'])))
  return nodes.some(([node, [around]]) => {
    if (node.type !== 'Identifier' || node === id || nameOf(node) !== nameOf(id)) return false
    if (around?.type !== 'MemberExpression' || around['object'] !== node)
      return around?.type !== 'Property' || around['key'] !== node || around['shorthand'] === true
    return failures.has(nameOf(around['property']))
  })
}
