/** A syntax tree of a source file, and the way through it. */
export interface Node {
  type: string
  [field: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

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
