/** The text of a PDF that pdfkit has made: glyphs of each font by its ToUnicode map (ISO 32000-1, 9.10). */
import { inflateSync } from 'node:zlib'

interface Obj {
  head: string
  stream: string
}

function objectsOf(bytes: Uint8Array): Map<string, Obj> {
  const text = Buffer.from(bytes).toString('latin1')
  const found = new Map<string, Obj>()
  for (const match of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)endobj/g)) {
    const [, id = '', body = ''] = match
    const start = body.indexOf('stream\n')
    const head = start === -1 ? body : body.slice(0, start)
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0)
    const raw = start === -1 ? '' : body.slice(start + 7, start + 7 + length)
    const isPacked = head.includes('/FlateDecode') && !head.includes('/Image')
    const stream = isPacked ? inflateSync(Buffer.from(raw, 'latin1')).toString('latin1') : raw
    found.set(id, { head, stream })
  }
  return found
}

const fromUtf16 = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le')

/** Glyph, in hexadecimal digits, to text. */
function glyphsOf(map: string): Map<string, string> {
  const glyphs = new Map<string, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi)) {
    const texts = [...list.matchAll(/<([0-9a-f ]*)>/gi)]
    for (const [index, [, hex = '']] of texts.entries()) {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0')
      glyphs.set(glyph, fromUtf16(hex.replaceAll(' ', '')))
    }
  }
  return glyphs
}

/** The pieces of text in the order in which they are drawn, a line for each. */
export function textOfPdf(bytes: Uint8Array): string {
  const objects = objectsOf(bytes)
  const fonts = new Map<string, Map<string, string>>()
  for (const { head } of objects.values())
    for (const [, name = '', id = ''] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.head ?? '')?.[1] ?? ''
      fonts.set(name, glyphsOf(objects.get(map)?.stream ?? ''))
    }
  const lines: string[] = []
  for (const { head, stream } of objects.values()) {
    if (head.includes('/Type') || !stream.includes(' TJ')) continue
    let font: Map<string, string> | undefined
    for (const [, name, shown] of stream.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
      if (name !== undefined) font = fonts.get(name)
      else
        lines.push(
          [...(shown ?? '').matchAll(/<([0-9a-f]+)>/gi)]
            .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
            .map((glyph) => font?.get(glyph.toLowerCase()) ?? '\ufffd')
            .join(''),
        )
    }
  }
  return lines.join('\n')
}
