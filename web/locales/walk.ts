/** A syntax tree of a source file, and the way through it. */
export interface Node {
  type: string
  [field: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** The nodes of a list; none where it is no list. */
export const nodesIn = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** The name of an identifier; empty for any other node. */
export function nameOf(node: unknown): string {
  const name = isNode(node) ? node['name'] : null
  return typeof name === 'string' ? name : ''
}

/** A node and its descendants, each with its ancestors, the nearest first. */
export function* walk(
  node: Node,
  ancestors: readonly Node[] = [],
): Generator<[node: Node, ancestors: readonly Node[]]> {
  yield [node, ancestors]
  const path = [node, ...ancestors]
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child, path)
}
