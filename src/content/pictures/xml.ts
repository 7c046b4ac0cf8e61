/**
 * A strict reader of the XML that drawing programs write. It knows elements, attributes, text, comments and CDATA; a
 * document type with declarations of its own, any other entity than XML's five and any processing instruction but the
 * declaration are refused, so that nothing can expand or load.
 */
import { Refusal } from '#lib/refusal'

export interface Element {
  name: string
  attributes: Map<string, string>
  children: (Element | string)[]
}

const mostElements = 5_000
const deepest = 40

const broken = () => new Refusal('svg_broken')
const forbidden = (what: string) => new Refusal('svg_forbidden', { what })

const name = String.raw`[A-Za-z_][\w.:-]*`
const opening = new RegExp(String.raw`<(${name})((?:\s+${name}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>`, 'y')
const closing = new RegExp(String.raw`</(${name})\s*>`, 'y')
const attribute = new RegExp(String.raw`(${name})\s*=\s*(?:"([^"]*)"|'([^']*)')`, 'g')
const comment = /<!--(?:(?!--)[\s\S])*-->/y
const cdata = /<!\[CDATA\[((?:(?!\]\]>)[\s\S])*)\]\]>/y
const text = /[^<]+/y
const declaration = /^\s*<\?xml\s[^?<>]*\?>/
/** Without an internal subset, in which entities would be declared. */
const doctype = /<!DOCTYPE\s+svg(?:\s+PUBLIC\s+"[^"<>]*"\s+"[^"<>]*")?\s*>/y

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decoded(raw: string): string {
  return raw.replaceAll(/&([^;&]{0,12});?/g, (whole, code: string) => {
    const known = entities[code]
    if (known !== undefined && whole.endsWith(';')) return known
    const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(code) ?? []
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (!whole.endsWith(';') || !(point >= 0x20 && point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff))
      throw forbidden(`&${code};`)
    return String.fromCodePoint(point)
  })
}

function attributesOf(raw: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, key = '', double, single] of raw.matchAll(attribute)) {
    if (found.has(key)) throw broken()
    found.set(key, decoded(double ?? single ?? ''))
  }
  return found
}

/** The root element of a document. Refuses with `svg_broken`, `svg_forbidden` and `svg_heavy`. */
export function readXml(document: string): Element {
  const xml = document.replace(/^\uFEFF/, '').replace(declaration, '')
  const holder: Element = { name: '', attributes: new Map(), children: [] }
  const open = [holder]
  let [at, elements] = [0, 0]
  const matchAt = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(xml)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  while (at < xml.length) {
    const parent = open.at(-1) ?? holder
    const words = matchAt(text) ?? null
    if (words !== null) {
      parent.children.push(decoded(words[0]))
      continue
    }
    if (matchAt(comment) !== null) continue
    if (parent === holder && matchAt(doctype) !== null) continue
    const verbatim = matchAt(cdata)
    if (verbatim !== null) {
      parent.children.push(verbatim[1] ?? '')
      continue
    }
    const end = matchAt(closing)
    if (end !== null) {
      if (open.length === 1 || parent.name !== end[1]) throw broken()
      open.pop()
      continue
    }
    const begin = matchAt(opening)
    if (begin === null) throw refusedAt(xml.slice(at, at + 20))
    const [, own = '', raw = '', empty] = begin
    const element: Element = { name: own, attributes: attributesOf(raw), children: [] }
    parent.children.push(element)
    elements += 1
    if (elements > mostElements || open.length > deepest) throw new Refusal('svg_heavy')
    if (empty === '') open.push(element)
  }
  const roots = holder.children.filter((child): child is Element => typeof child !== 'string')
  const [root] = roots
  const hasText = holder.children.some((child) => typeof child === 'string' && child.trim() !== '')
  if (open.length > 1 || root === undefined || roots.length > 1 || hasText) throw broken()
  return root
}

const refusedAt = (rest: string) =>
  rest.startsWith('<!DOCTYPE')
    ? forbidden('<!DOCTYPE … [')
    : rest.startsWith('<?')
      ? forbidden('<?')
      : broken()

const escaped = (raw: string) =>
  raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** An element as a document. */
export function writeXml({ name: own, attributes, children }: Element): string {
  const fields = [...attributes].map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')
  if (children.length === 0) return `<${own}${fields}/>`
  const inside = children.map((child) => (typeof child === 'string' ? escaped(child) : writeXml(child)))
  return `<${own}${fields}>${inside.join('')}</${own}>`
}
