/**
 * SVG that only draws. What drawing programs leave behind (metadata, their own namespaces, comments) is dropped; what runs,
 * loads, animates or embeds is refused by its name, so that the operator knows why the picture would look different. The
 * result is written anew from what was read: nothing that was not understood is served.
 */
import { Refusal } from '#lib/refusal'
import { type Element, readXml, writeXml } from './xml.ts'

const namespace = 'http://www.w3.org/2000/svg'

/** The names in a text. */
const setOf = (names: string) => new Set(names.trim().split(/\s+/))

const drawn = setOf(`
  svg g defs symbol use style path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask
`)
/** What holds text that is shown or read; any other text draws nothing. */
const wordy = new Set(['text', 'tspan', 'style'])
/** Describes the picture, and draws nothing. */
const describing = new Set(['title', 'desc', 'metadata'])

const kept = setOf(`
  id class style transform viewBox preserveAspectRatio width height href x y x1 y1 x2 y2 cx cy r
  rx ry fx fy dx dy d points fill fill-rule fill-opacity stroke stroke-width stroke-linecap
  stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset stroke-opacity opacity
  color offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod clip-path
  clip-rule clipPathUnits mask maskUnits maskContentUnits display visibility overflow font-family
  font-size font-weight font-style letter-spacing text-anchor dominant-baseline vector-effect
  shape-rendering paint-order mix-blend-mode
`)

const functions = setOf(`
  url rgb rgba hsl hsla matrix translate translatex translatey scale scalex scaley rotate skewx
  skewy
`)
const own = String.raw`["']?#[\w.:-]+["']?`
const ownUrl = new RegExp(String.raw`url\(\s*${own}\s*\)`, 'gi')
/** In a style sheet a mask or clipping path would apply to any number of elements. */
const maskByRule = /(?:clip-path|mask|filter|marker)[^;}]*url\(/i

const forbidden = (what: string) => new Refusal('svg_forbidden', { what })

/** Refuses a value that could load something: any address but one within the picture, any rule with `@`, any escape. */
function checkValue(value: string, where: string): void {
  const rest = value.replaceAll(ownUrl, '')
  if (/[@\\<]|url\s*\(|javascript:|data:|https?:/i.test(rest)) throw forbidden(where)
  for (const [, called = ''] of rest.matchAll(/([\w-]+)\s*\(/g))
    if (!functions.has(called.toLowerCase())) throw forbidden(`${called}()`)
}

function attributesOf(element: Element): Map<string, string> {
  const found = new Map<string, string>()
  for (const [given, value] of element.attributes) {
    const name = given === 'xlink:href' ? 'href' : given
    if (/^on/i.test(name)) throw forbidden(name)
    if (name === 'filter' || name.startsWith('marker')) throw forbidden(name)
    if (name === 'href') {
      if (!/^#[\w.:-]+$/.test(value)) throw forbidden(`${given}="${value.slice(0, 40)}"`)
    } else if (kept.has(name)) checkValue(value, name)
    if (kept.has(name)) found.set(name, value)
  }
  return found
}

function cleaned(element: Element): Element {
  const children = element.children.flatMap((child): (Element | string)[] => {
    if (typeof child === 'string') return wordy.has(element.name) && child.trim() !== '' ? [child] : []
    // Prefixes are those of editors; a prefix of SVG itself would need its declaration, which is dropped.
    if (describing.has(child.name) || child.name.includes(':')) return []
    if (!drawn.has(child.name)) throw forbidden(`<${child.name}>`)
    return [cleaned(child)]
  })
  if (element.name === 'style') {
    for (const child of children) {
      if (typeof child !== 'string') throw forbidden('<style>')
      checkValue(child, '<style>')
      if (maskByRule.test(child)) throw forbidden('<style>: url()')
    }
  }
  return { name: element.name, attributes: attributesOf(element), children }
}

const mostDrawn = 20_000

/**
 * How many elements are drawn when every reference is followed: a few elements that use each other twice would be
 * billions. Refuses with `svg_heavy`, circles included.
 */
function countDrawn(root: Element): void {
  const byId = new Map<string, Element>()
  const collect = (element: Element) => {
    const id = element.attributes.get('id')
    if (id !== undefined && !byId.has(id)) byId.set(id, element)
    for (const child of element.children) if (typeof child !== 'string') collect(child)
  }
  collect(root)
  const known = new Map<Element, number>()
  const counting = new Set<Element>()
  const count = (element: Element): number => {
    const before = known.get(element)
    if (before !== undefined) return before
    if (counting.has(element)) throw new Refusal('svg_heavy')
    counting.add(element)
    const referred = [...element.attributes].flatMap(([key, value]) =>
      key === 'href'
        ? [value.slice(1)]
        : [...value.matchAll(/url\(\s*["']?#([\w.:-]+)/gi)].map(([, id]) => id ?? ''),
    )
    const inside = element.children.filter((child): child is Element => typeof child !== 'string')
    let sum = 1
    for (const next of [...inside, ...referred.flatMap((id) => byId.get(id) ?? [])]) {
      sum += count(next)
      if (sum > mostDrawn) throw new Refusal('svg_heavy')
    }
    counting.delete(element)
    known.set(element, sum)
    return sum
  }
  count(root)
}

const longestSide = 512

function sizeOf(root: Element): { width: number; height: number; viewBox: string } {
  const pixels = (name: string) => /^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/.exec(root.attributes.get(name) ?? '')?.[1]
  const box = (root.attributes.get('viewBox') ?? '').trim().split(/[\s,]+/)
  const hasBox = box.length === 4 && box.every((part) => part !== '' && Number.isFinite(Number(part)))
  const width = Number(pixels('width') ?? (hasBox ? box[2] : 0))
  const height = Number(pixels('height') ?? (hasBox ? box[3] : 0))
  if (!(width > 0 && height > 0)) throw new Refusal('svg_broken')
  // A drawing has no pixels of its own: its size is only its shape.
  const scale = longestSide / Math.max(width, height)
  const whole = (length: number) => Math.max(1, Math.round(length * scale))
  return {
    width: whole(width),
    height: whole(height),
    viewBox: hasBox ? box.join(' ') : `0 0 ${width} ${height}`,
  }
}

/** The picture as it may be served, and its size. Refuses with `svg_broken`, `svg_forbidden` and `svg_heavy`. */
export function cleanSvg(document: string): { svg: string; width: number; height: number } {
  const read = readXml(document)
  if (read.name !== 'svg') throw new Refusal('svg_broken')
  const root = cleaned(read)
  countDrawn(root)
  const { width, height, viewBox } = sizeOf(root)
  const { width: _width, height: _height, viewBox: _box, ...rest } = Object.fromEntries(root.attributes)
  const attributes = { xmlns: namespace, viewBox, width: String(width), height: String(height), ...rest }
  return { svg: writeXml({ ...root, attributes: new Map(Object.entries(attributes)) }), width, height }
}
