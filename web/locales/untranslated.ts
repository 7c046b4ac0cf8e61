/**
 * Static analysis of components: elements with figures, lines, codes and logins, which a translator of a
 * browser must leave as they are.
 */
import { parseSync } from 'vite'
import { isNode, nameOf, type Node, nodesIn, walk } from './walk.ts'

const literalElements = new Set(['code', 'kbd', 'pre', 'samp'])
/** Functions whose result is a figure, as the formatters of state/use-format.ts name them. */
const figures = new Set(['usd', 'number', 'traffic', 'percent', 'bytes', 'money', 'amount', 'formatFrozen'])

/** Whether a class name is that of the typeface of figures and lines. */
const isMono = (attribute: Node): boolean =>
  isNode(attribute['value']) &&
  [...walk(attribute['value'])].some(
    ([node]) =>
      (node.type === 'Literal' && /(?:^| )mono(?: |$)/.test(String(node['value']))) ||
      (node.type === 'MemberExpression' && nameOf(node['property']) === 'mono'),
  )

function isFigure(node: Node): boolean {
  const children = nodesIn(node['children']).filter((child) => child.type !== 'JSXText')
  const [only] = children
  if (only === undefined || children.length !== 1 || only.type !== 'JSXExpressionContainer') return false
  const expression = only['expression']
  return (
    isNode(expression) && expression.type === 'CallExpression' && figures.has(nameOf(expression['callee']))
  )
}

export interface Untranslated {
  /** Where its name ends. */
  at: number
  name: string
}

/**
 * The elements of a file that hold figures, lines or codes and do not say `translate="no"`, nor does one
 * around them.
 */
export function translatedFigures(file: string, code: string): Untranslated[] {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  return [...walk(program as unknown as Node)].flatMap(([node, ancestors]) => {
    if (node.type !== 'JSXElement' || [node, ...ancestors].some(isLeftAlone)) return []
    const opening = node['openingElement'] as Node
    const name = opening['name'] as Node
    const tag = nameOf(name)
    if (!/^[a-z]/.test(tag) || tag === 'input' || tag === 'textarea') return []
    const mono = nodesIn(opening['attributes']).some(
      (each) => nameOf(each['name']) === 'className' && isMono(each),
    )
    const isLiteral = literalElements.has(tag) || mono || isFigure(node)
    return isLiteral ? [{ at: Number(name['end']), name: tag }] : []
  })
}

const isLeftAlone = (node: Node): boolean =>
  node.type === 'JSXElement' &&
  nodesIn((node['openingElement'] as Node)['attributes']).some((each) => nameOf(each['name']) === 'translate')
