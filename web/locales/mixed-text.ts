/**
 * Static analysis of components: text that stands beside other children of an element. A translator of a
 * browser moves each text node into elements of its own. React then changes a text that is no longer on the
 * page, or inserts beside one and throws. Text that is the only child of an element is safe: React replaces
 * the whole content of that element.
 */
import { parseSync } from 'vite'
import { isNode, nameOf, type Node, nodesIn, walk } from './walk.ts'

type Kind = 'nothing' | 'elements' | 'text'

/** Properties for elements: text for them is found where it is given. */
const slots = new Set([
  'children',
  'icon',
  'end',
  'actions',
  'act',
  'meta',
  'foot',
  'note',
  'empty',
  'content',
])
/** Methods of lists whose answer has the elements of the list. */
const partsOfList = new Set(['slice', 'filter', 'reverse', 'toReversed'])

/** Elements whose children no translator touches. */
const untouched = new Set(['title', 'style', 'script', 'textarea'])

/** The most that an expression may render: text, or elements only. */
function kindOf(node: unknown, variables: ReadonlyMap<string, Node>, seen: readonly string[] = []): Kind {
  if (!isNode(node)) return 'nothing'
  const most = (...nodes: unknown[]): Kind => {
    const kinds = nodes.map((each) => kindOf(each, variables, seen))
    return kinds.includes('text') ? 'text' : kinds.includes('elements') ? 'elements' : 'nothing'
  }
  switch (node.type) {
    case 'JSXElement':
    case 'JSXFragment':
      return 'elements'
    case 'JSXEmptyExpression':
      return 'nothing'
    case 'Literal':
      return ['string', 'number'].includes(typeof node['value']) ? 'text' : 'nothing'
    case 'ParenthesizedExpression':
      return most(node['expression'])
    case 'ConditionalExpression':
      return most(node['consequent'], node['alternate'])
    case 'LogicalExpression':
      return node['operator'] === '&&' ? most(node['right']) : most(node['left'], node['right'])
    case 'Identifier': {
      const name = String(node['name'])
      if (name === 'undefined') return 'nothing'
      if (slots.has(name)) return 'elements'
      const value = seen.includes(name) ? undefined : variables.get(name)
      return value === undefined ? 'text' : kindOf(value, variables, [...seen, name])
    }
    case 'ChainExpression':
      return most(node['expression'])
    case 'MemberExpression': {
      const property = node['property']
      return isNode(property) && slots.has(String(property['name'])) ? 'elements' : 'text'
    }
    case 'CallExpression':
      return calledKind(node, variables, seen)
    default:
      return 'text'
  }
}

/** What a call renders: for `map`, and for a function of the same file, what that function returns. */
function calledKind(node: Node, variables: ReadonlyMap<string, Node>, seen: readonly string[]): Kind {
  const callee = node['callee']
  if (!isNode(callee)) return 'text'
  const property = callee.type === 'MemberExpression' ? callee['property'] : null
  if (isNode(property) && partsOfList.has(String(property['name'])))
    return kindOf(callee['object'], variables, seen)
  const isMap = isNode(property) && property['name'] === 'map'
  const [first] = nodesIn(node['arguments'])
  const called = isMap
    ? first
    : callee.type === 'Identifier'
      ? variables.get(String(callee['name']))
      : undefined
  const name = callee.type === 'Identifier' ? String(callee['name']) : ''
  if (slots.has(name)) return 'elements'
  if (called === undefined || (name !== '' && seen.includes(name))) return 'text'
  const kinds = returned(called).map((each) => kindOf(each, variables, [...seen, name]))
  return kinds.length === 0 || kinds.includes('text') ? 'text' : 'elements'
}

/** What a function returns. */
function returned(fn: Node): unknown[] {
  if (!/Function/.test(fn.type)) return []
  const body = fn['body']
  if (!isNode(body)) return []
  if (body.type !== 'BlockStatement') return [body]
  return [...walk(body)]
    .filter(([node, ancestors]) => {
      const inner = ancestors.find(({ type }) => /Function/.test(type))
      return node.type === 'ReturnStatement' && inner === undefined
    })
    .map(([node]) => node['argument'])
}

/**
 * The initial values of the constants of a file, and its functions. A name that stands for several is left
 * out.
 */
function variablesOf(program: Node): Map<string, Node> {
  const found = new Map<string, Node>()
  const twice = new Set<string>()
  const add = (id: unknown, value: unknown) => {
    if (!isNode(id) || id.type !== 'Identifier' || !isNode(value)) return
    const name = String(id['name'])
    if (found.has(name)) twice.add(name)
    found.set(name, value)
  }
  for (const [node] of walk(program)) {
    if (node.type === 'VariableDeclarator') add(node['id'], node['init'])
    if (node.type === 'FunctionDeclaration') add(node['id'], node)
  }
  for (const name of twice) found.delete(name)
  return found
}

export interface MixedText {
  start: number
  end: number
  text: string
}

const tagOf = (node: Node): string => {
  const opening = node['openingElement']
  return isNode(opening) ? nameOf(opening['name']) : ''
}

/** The dynamic texts of a file that have no element of their own. */
export function mixedTexts(file: string, code: string): MixedText[] {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const root = program as unknown as Node
  const variables = variablesOf(root)
  return [...walk(root)].flatMap(([node]) => {
    if (node.type !== 'JSXElement' && node.type !== 'JSXFragment') return []
    if (untouched.has(tagOf(node))) return []
    return mixedIn(node, variables).map(({ start, end }) => ({
      start: Number(start),
      end: Number(end),
      text: code.slice(Number(start), Number(end)),
    }))
  })
}

function mixedIn(node: Node, variables: ReadonlyMap<string, Node>): { start: unknown; end: unknown }[] {
  const children = nodesIn(node['children'])
    .map((child) => ({ child, ...rendered(child, variables) }))
    .filter(({ kind }) => kind !== 'nothing')
  // The content of a fragment stands beside whatever is around it.
  if (children.length < 2 && node.type !== 'JSXFragment') return []
  const changes = children.some(({ isFixed }) => !isFixed)
  return children
    .filter(({ kind, isFixed }) => kind === 'text' && (!isFixed || changes))
    .map(({ child }) => ({ start: child['start'], end: child['end'] }))
}

/**
 * What a child renders, and whether it is always there and always the same. White space between elements is
 * not translated.
 */
function rendered(child: Node, variables: ReadonlyMap<string, Node>): { kind: Kind; isFixed: boolean } {
  if (child.type === 'JSXText')
    return { kind: String(child['value']).trim() === '' ? 'nothing' : 'text', isFixed: true }
  if (child.type !== 'JSXExpressionContainer') return { kind: 'elements', isFixed: true }
  const expression = child['expression']
  if (isNode(expression) && expression.type === 'Literal') {
    const isBlank = String(expression['value']).trim() === ''
    return { kind: isBlank ? 'nothing' : kindOf(expression, variables), isFixed: true }
  }
  return { kind: kindOf(expression, variables), isFixed: false }
}

/** The components of a file that render their `children` beside something else: these must not be text. */
export function componentsWithSlot(file: string, code: string): string[] {
  const root = parseSync(file, code).program as unknown as Node
  return [...walk(root)].flatMap(([node, ancestors]) => {
    if (node.type !== 'JSXElement' && node.type !== 'JSXFragment') return []
    const others = nodesIn(node['children']).filter(
      (child) => child.type !== 'JSXText' || String(child['value']).trim() !== '',
    )
    const isSlot = (child: Node) => {
      const expression = child.type === 'JSXExpressionContainer' ? child['expression'] : null
      return (
        isNode(expression) &&
        code.slice(Number(expression['start']), Number(expression['end'])) === 'children'
      )
    }
    if (others.length < 2 || !others.some(isSlot)) return []
    const component = ancestors.find(({ type }) => type === 'FunctionDeclaration')?.['id']
    return isNode(component) ? [String(component['name'])] : []
  })
}

/** The components to which a file gives text as their only child. */
export function componentsGivenText(file: string, code: string): string[] {
  const root = parseSync(file, code).program as unknown as Node
  const variables = variablesOf(root)
  return [...walk(root)].flatMap(([node]) => {
    if (node.type !== 'JSXElement' || !/^[A-Z]/.test(tagOf(node))) return []
    const kinds = nodesIn(node['children']).map((child) => rendered(child, variables).kind)
    return kinds.includes('text') ? [tagOf(node)] : []
  })
}

/**
 * The components of a file that return text without an element: it stands beside whatever is around the
 * component.
 */
export function componentsReturningText(file: string, code: string): string[] {
  const root = parseSync(file, code).program as unknown as Node
  const variables = variablesOf(root)
  return [...walk(root)].flatMap(([node]) => {
    const isDeclared = node.type === 'FunctionDeclaration' || node.type === 'VariableDeclarator'
    const id = isDeclared ? node['id'] : null
    if (!isNode(id) || !/^[A-Z]/.test(String(id['name']))) return []
    const component = node.type === 'FunctionDeclaration' ? node : node['init']
    if (!isNode(component)) return []
    return returned(component).some((each) => kindOf(each, variables) === 'text') ? [String(id['name'])] : []
  })
}
