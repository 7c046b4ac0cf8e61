import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { testDatabase } from '#test/database'
import { arePicturesKept, findPicture, readPicture, savePicture } from './pictures.ts'

const square = '<path d="M0 0h8v8z"/>'
const svg = (inside: string, fields = 'viewBox="0 0 8 8"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${fields}>${inside}</svg>`
const read = (text: string) => readPicture(Buffer.from(text)).bytes.toString()
const codeOf = (bytes: Uint8Array): string => {
  try {
    readPicture(bytes)
    return 'accepted'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
const codeOfText = (text: string) => codeOf(Buffer.from(text))

describe('SVG', () => {
  it('is written anew, without what drawing programs add', () => {
    const drawn = `<?xml version="1.0" encoding="UTF-8"?>
      <!-- made with love -->
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      <svg version="1.1" xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://x" width="40px" height="20" viewBox="0 0 40 20">
        <title>A &amp; B</title><metadata><rdf:RDF/></metadata><inkscape:view label="x"/>
        <style><![CDATA[.a{fill:url(#g)}]]></style>
        <defs><linearGradient id="g"><stop offset="0" stop-color="#f00"/></linearGradient></defs>
        <g class="a" style="fill:rgb(1,2,3)" inkscape:label="1" data-name="x"><use xlink:href="#g"/>${square}</g>
      </svg>`
    expect(readPicture(Buffer.from(drawn))).toMatchObject({
      contentType: 'image/svg+xml',
      width: 512,
      height: 256,
    })
    const written = read(drawn)
    expect(written).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="512" height="256">' +
        '<style>.a{fill:url(#g)}</style>' +
        '<defs><linearGradient id="g"><stop offset="0" stop-color="#f00"/></linearGradient></defs>' +
        `<g class="a" style="fill:rgb(1,2,3)"><use href="#g"/>${square}</g></svg>`,
    )
    expect(read(written)).toBe(written)
  })

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script in another case', '<SCRIPT>alert(1)</SCRIPT>'],
    ['a handler', '<path onload="alert(1)"/>'],
    ['a handler in another case', '<path ONclick="alert(1)"/>'],
    ['foreign content', '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'],
    ['an embedded page', '<iframe src="https://evil.example"/>'],
    ['a picture from elsewhere', '<image href="https://evil.example/x.png"/>'],
    ['a shape from elsewhere', '<use href="https://evil.example/x.svg#a"/>'],
    ['a shape of a data address', '<use xlink:href="data:image/svg+xml,x#a"/>'],
    ['a link', '<a href="javascript:alert(1)"><path/></a>'],
    ['an animation', '<set attributeName="href" to="javascript:alert(1)"/>'],
    ['an animated value', '<animate attributeName="x"/>'],
    ['a filter', '<filter id="f"><feImage href="https://evil.example"/></filter>'],
    ['a paint from elsewhere', '<path fill="url(https://evil.example#a)"/>'],
    ['a paint written with escapes', String.raw`<path style="fill:u\72l(https://evil.example)"/>`],
    ['a paint written with entities', '<path style="fill:url(&#104;ttps://evil.example)"/>'],
    ['an import', '<style>@import "https://evil.example/x.css";</style>'],
    ['an import behind a comment', '<style>/**/@import url(//evil.example);</style>'],
    ['a picture set', `<path style="background:image-set('x' 1x)"/>`],
    ['masks by rule', '<style>path{mask:url(#m)}</style>'],
    ['an element inside a style', '<style><script/></style>'],
    ['an unknown entity', '<text>&evil;</text>'],
    ['a processing instruction', '<?xml-stylesheet href="https://evil.example"?>'],
  ])('with %s is refused', (_what, inside) => {
    expect(codeOfText(svg(inside))).toBe('svg_forbidden')
  })

  it('with entities that expand is refused', () => {
    const bomb = `<!DOCTYPE svg [<!ENTITY a "xxxxxxxx"><!ENTITY b "&a;&a;&a;">]>${svg('<text>&b;</text>')}`
    expect(codeOfText(bomb)).toBe('svg_forbidden')
    expect(codeOfText(`<?xml version="1.0"?><!DOCTYPE svg SYSTEM "file:///etc/passwd">${svg('')}`)).toBe(
      'svg_forbidden',
    )
  })

  it('whose shapes repeat each other billions of times, or in a circle, is refused', () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `<g id="l${level + 1}"><use href="#l${level}"/><use href="#l${level}"/></g>`,
    )
    expect(codeOfText(svg(`<g id="l0">${square}</g>${levels.join('')}`))).toBe('svg_heavy')
    expect(codeOfText(svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'))).toBe('svg_heavy')
    expect(codeOfText(svg('<mask id="m"><path mask="url(#m)"/></mask>'))).toBe('svg_heavy')
    expect(codeOfText(svg('<g>'.repeat(60) + '</g>'.repeat(60)))).toBe('svg_heavy')
    expect(codeOfText(svg('<path/>'.repeat(6_000)))).toBe('svg_heavy')
  })

  it.each([
    ['that ends early', '<svg viewBox="0 0 1 1"><g>'],
    ['with crossed elements', '<svg viewBox="0 0 1 1"><g><path></g></path></svg>'],
    ['with two roots', `${svg('')}${svg('')}`],
    ['with text behind it', `${svg('')}<!-- --> <script`],
    ['without a size', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['with a field twice', '<svg viewBox="0 0 1 1" viewBox="0 0 2 2"/>'],
    ['that is a page', '<html><svg viewBox="0 0 1 1"/></html>'],
  ])('%s is refused', (_what, text) => {
    expect(codeOfText(text)).toBe('svg_broken')
  })

  it('of any text is refused or harmless', () => {
    const piece = fc.constantFrom(
      '<g>',
      '</g>',
      '<path d="M0 0"/>',
      '<script>',
      '</script>',
      '<style>',
      '</style>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '&lt;script&gt;',
      '&#60;',
      '"',
      "'",
      'onload="x"',
      ' href="#a"',
      '<use ',
      '/>',
      '>',
      '@import',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = svg(pieces.join(''))
        if (codeOfText(text) !== 'accepted') return
        expect(read(text)).not.toMatch(/<script|<!\[CDATA|<!--|<style>[^<]*@|\son\w+=/i)
      }),
      { numRuns: 2_000 },
    )
  })
})

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const header = (width: number, height: number, interlaced = 0) => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  Buffer.from([8, 6, 0, 0, interlaced]).copy(data, 8)
  return chunk('IHDR', data)
}
const pixels = (width: number, height: number) =>
  chunk('IDAT', deflateSync(Buffer.alloc(height * (1 + 4 * width))))
const end = chunk('IEND', Buffer.alloc(0))
const png = (width: number, height: number, ...extra: Buffer[]) =>
  Buffer.concat([signature, header(width, height), ...extra, pixels(width, height), end])

describe('PNG', () => {
  it('keeps its pixels and loses its texts', () => {
    const text = chunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'))
    expect(readPicture(png(20, 10, text))).toEqual({
      contentType: 'image/png',
      bytes: png(20, 10),
      width: 20,
      height: 10,
    })
  })

  it('of a hundred megapixels is refused by its header alone', () => {
    const huge = Buffer.concat([
      signature,
      header(10_000, 10_000),
      chunk('IDAT', deflateSync(Buffer.alloc(1))),
      end,
    ])
    expect(codeOf(huge)).toBe('logo_pixels')
    expect(codeOf(Buffer.concat([signature, header(0xffff_ffff, 1), end]))).toBe('logo_pixels')
    expect(codeOf(png(900, 20))).toBe('logo_ratio')
  })

  it('with more or fewer pixels than it says is refused: nothing is decompressed beyond them', () => {
    const bomb = chunk('IDAT', deflateSync(Buffer.alloc(50_000_000)))
    for (const data of [bomb, pixels(8, 7), chunk('IDAT', Buffer.from('not deflated'))])
      expect(codeOf(Buffer.concat([signature, header(8, 8), data, end]))).toBe('logo_broken')
    expect(codeOf(Buffer.concat([signature, header(8, 8, 1), pixels(8, 8), end]))).toBe('logo_broken')
  })

  it('that is something else too is refused', () => {
    const page = Buffer.from('<script>alert(1)</script>')
    expect(codeOf(Buffer.concat([png(8, 8), page]))).toBe('logo_broken')
    const wrongSum = png(8, 8)
    wrongSum.writeUInt8(1, 30)
    expect(codeOf(wrongSum)).toBe('logo_broken')
    expect(codeOf(png(8, 8, chunk('EVIL', page)))).toBe('logo_broken')
    expect(codeOf(png(8, 8, header(4, 4)))).toBe('logo_broken')
    for (const cut of [9, 20, 33, 40]) expect(codeOf(png(8, 8).subarray(0, cut))).toBe('logo_broken')
  })
})

/** The smallest lossless WebP with this size in its header; its pixels are not looked at. */
const lossless = (width: number, height: number) => {
  const data = Buffer.alloc(10)
  data.writeUInt8(0x2f, 0)
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1)
  return riff('VP8L', data)
}
const riff = (type: string, data: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(data.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), length, data, Buffer.alloc(data.length % 2)])
}
const webp = (...parts: Buffer[]) => riff('RIFF', Buffer.concat([Buffer.from('WEBP'), ...parts]))
const extended = (width: number, height: number, flags: number) => {
  const data = Buffer.alloc(10)
  data.writeUInt8(flags, 0)
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return riff('VP8X', data)
}

describe('WebP', () => {
  it('keeps its pixels and loses what is told of the camera', () => {
    const exif = riff('EXIF', Buffer.from('<script>alert(1)</script>'))
    const given = webp(extended(30, 20, 0b0001_1100), lossless(30, 20), exif)
    expect(readPicture(given)).toEqual({
      contentType: 'image/webp',
      bytes: webp(extended(30, 20, 0b0001_0000), lossless(30, 20)),
      width: 30,
      height: 20,
    })
  })

  it.each([
    ['larger than is allowed', webp(lossless(2_000, 1_000)), 'logo_pixels'],
    ['animated', webp(extended(30, 20, 0b10), lossless(30, 20)), 'logo_broken'],
    ['of another size than its canvas', webp(extended(31, 20, 0), lossless(30, 20)), 'logo_broken'],
    [
      'followed by something',
      Buffer.concat([webp(lossless(30, 20)), Buffer.from('<script>')]),
      'logo_broken',
    ],
    ['without a picture', webp(riff('EXIF', Buffer.alloc(8))), 'logo_broken'],
    ['cut off', webp(lossless(30, 20)).subarray(0, 24), 'logo_broken'],
  ])('%s is refused', (_what, bytes, code) => {
    expect(codeOf(bytes)).toBe(code)
  })
})

it.each([
  ['a page', Buffer.from('GIF89a<svg>'), 'logo_kind'],
  ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), 'logo_kind'],
  ['bytes that are not text', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'logo_kind'],
  ['nothing', Buffer.alloc(0), 'logo_kind'],
  ['too much', Buffer.alloc(256 * 1024 + 1, 32), 'logo_bytes'],
])('%s is no logo', (_what, bytes, code) => {
  expect(codeOf(bytes)).toBe(code)
})

it('of any bytes is refused with a reason, never with a failure', () => {
  const prefix = fc.constantFrom(
    signature,
    Buffer.from('RIFF'),
    webp(lossless(8, 8)),
    png(8, 8),
    Buffer.from('<svg '),
  )
  fc.assert(
    fc.property(prefix, fc.uint8Array({ maxLength: 80 }), (start, rest) => {
      expect(codeOf(Buffer.concat([start, rest]))).toMatch(/^(logo|svg)_|^accepted$/)
    }),
    { numRuns: 1_000 },
  )
})

describe('a picture that was uploaded', () => {
  let database: Database
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.close())

  const save = (text: string, at = new Date()) =>
    transaction(database.db, (tx) => savePicture(tx, Buffer.from(text), { by: 'a test', at }))

  it('has the hash of what is served as its name, and is dropped after a day without use', async () => {
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    const unused = await save(svg('<path d="M1 1"/>'), yesterday)
    const drafted = await save(svg('<path d="M2 2"/>'), yesterday)
    await database.pool.query(
      `insert into content_draft (part, value, edited_by, edited_at) values ('brand', $1, 'a test', now())`,
      [JSON.stringify({ icon: drafted })],
    )
    const fresh = await save(svg('<path d="M3 3"/>'))
    expect(await save(svg('<path d="M3 3"/>'))).toEqual(fresh)
    const kept = await Promise.all([unused, drafted, fresh].map(({ file }) => findPicture(database.db, file)))
    expect(kept.map((picture) => picture !== null)).toEqual([false, true, true])
    const areKept = (picture: typeof fresh) =>
      transaction(database.db, (tx) => arePicturesKept(tx, [picture]))
    expect([await areKept(fresh), await areKept({ ...fresh, width: 9 }), await areKept(unused)]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('never becomes another one', async () => {
    const { file } = await save(svg('<path d="M4 4"/>'))
    await expect(
      database.pool.query(`update brand_picture set bytes = 'x' where file = $1`, [file]),
    ).rejects.toThrow('does not change')
  })
})
