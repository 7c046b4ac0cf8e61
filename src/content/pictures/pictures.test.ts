import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { testDatabase } from '#test/database'
import { decodePicture } from './decode.ts'
import { arePicturesKept, findPicture, savePicture } from './pictures.ts'

const square = '<path d="M0 0h8v8z"/>'
const svg = (inside: string, fields = 'viewBox="0 0 8 8"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${fields}>${inside}</svg>`
const codeOf = async (given: Uint8Array | string): Promise<string> => {
  try {
    await decodePicture(typeof given === 'string' ? Buffer.from(given) : given)
    return 'accepted'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
const drawing = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } })

/** The colour of a pixel of a PNG as [red, green, blue, alpha]. */
async function pixelOf(bytes: Buffer, left: number, top: number): Promise<number[]> {
  const image = sharp(bytes).ensureAlpha().extract({ left, top, width: 1, height: 1 })
  return [...(await image.raw().toBuffer())]
}

describe('an SVG', () => {
  it('is drawn as a PNG whose longer side has 512 pixels', async () => {
    const drawn = `<?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      <svg xmlns="http://www.w3.org/2000/svg" width="40px" height="20" viewBox="0 0 40 20">
        <rect width="20" height="20" fill="#f00"/></svg>`
    const { bytes, ...rest } = await decodePicture(Buffer.from(drawn))
    expect(rest).toEqual({ contentType: 'image/png', width: 512, height: 256 })
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 512, height: 256 })
    expect(await pixelOf(bytes, 100, 100)).toEqual([255, 0, 0, 255])
    expect(await pixelOf(bytes, 400, 100)).toEqual([0, 0, 0, 0])
  })

  it('draws neither scripts nor files nor addresses', async () => {
    const inside = [
      '<script>document.documentElement.innerHTML=""</script>',
      '<image href="file:///etc/passwd" width="8" height="8"/>',
      '<image href="http://127.0.0.1:9/x.png" width="8" height="8"/>',
      '<foreignObject width="8" height="8"><body xmlns="http://www.w3.org/1999/xhtml">x</body></foreignObject>',
    ]
    for (const one of inside) {
      const { bytes } = await decodePicture(
        Buffer.from(svg(`<rect width="8" height="8" fill="#00f"/>${one}`)),
      )
      expect(await pixelOf(bytes, 256, 256), one).toEqual([0, 0, 255, 255])
    }
  })

  it('with an entity is refused', async () => {
    const text = `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg('<text y="8">&a;</text>')}`
    expect(await codeOf(text)).toBe('logo_broken')
  })

  it('whose shapes repeat each other, or entities that do, is refused before it is drawn', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `<g id="l${level + 1}"><use href="#l${level}"/><use href="#l${level}"/></g>`,
    )
    const bomb = svg(`<g id="l0">${square}</g>${levels.join('')}`)
    expect(await codeOf(bomb)).toBe('logo_broken')
    expect(await codeOf(bomb.replaceAll('<use', '<x:use'))).toBe('logo_broken')
    const entities = `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(1000)}">${Array.from({ length: 12 }, (_, at) => `<!ENTITY ${String.fromCharCode(98 + at)} "${`&${String.fromCharCode(97 + at)};`.repeat(10)}">`).join('')}]>${svg('<text>&m;</text>')}`
    expect(await codeOf(entities)).toBe('logo_broken')
  })

  it.each([
    ['that ends early', '<svg viewBox="0 0 1 1"><g>'],
    [
      'with crossed elements',
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g><path></g></path></svg>',
    ],
    ['that is a page', '<html><body>a page</body></html>'],
  ])('%s is refused', async (_what, text) => {
    expect(await codeOf(text)).toBe('logo_broken')
  })
})

describe('a PNG or WebP', () => {
  it.each(['png', 'webp'] as const)('keeps its size and loses its metadata: %s', async (format) => {
    const given = await drawing(30, 20)
      .withExif({ IFD0: { Copyright: '<script>alert(1)</script>' } })
      .toFormat(format)
      .toBuffer()
    expect(given.includes('alert(1)')).toBe(true)
    const { bytes, ...rest } = await decodePicture(given)
    expect(rest).toEqual({ contentType: `image/${format}`, width: 30, height: 20 })
    expect(bytes.includes('alert(1)')).toBe(false)
    const { exif, width, height } = await sharp(bytes).metadata()
    expect([exif, width, height]).toEqual([undefined, 30, 20])
  })

  it('loses what follows its end', async () => {
    const page = Buffer.from('<script>alert(1)</script>')
    const given = Buffer.concat([await drawing(8, 8).png().toBuffer(), page])
    expect((await decodePicture(given)).bytes.includes('alert(1)')).toBe(false)
  })

  it('of too many pixels, or too long, is refused by its header', async () => {
    expect(await codeOf(await drawing(1_025, 600).png().toBuffer())).toBe('logo_pixels')
    expect(await codeOf(await drawing(900, 20).webp().toBuffer())).toBe('logo_ratio')
    const huge = await drawing(8, 8).png().toBuffer()
    huge.writeUInt32BE(0x7fff_ffff, 16)
    expect(await codeOf(huge)).toMatch(/^logo_(pixels|broken)$/)
  })

  it('that is cut off or animated is refused', async () => {
    const png = await drawing(64, 64).png().toBuffer()
    for (const cut of [9, 20, 33, 60, png.length - 20])
      expect(await codeOf(png.subarray(0, cut)), String(cut)).toBe('logo_broken')
    const frames = await Promise.all([
      drawing(8, 8).png().toBuffer(),
      drawing(8, 8).negate().png().toBuffer(),
    ])
    const animated = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer()
    expect(await codeOf(animated)).toBe('logo_broken')
  })
})

it.each([
  ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), 'logo_kind'],
  ['a GIF that is a page too', Buffer.from('GIF89a<svg>'), 'logo_kind'],
  ['bytes that are no text', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'logo_kind'],
  ['nothing', Buffer.alloc(0), 'logo_kind'],
  ['too many bytes', Buffer.alloc(256 * 1024 + 1, 32), 'logo_bytes'],
])('%s is no logo', async (_what, bytes, code) => {
  expect(await codeOf(bytes)).toBe(code)
})

it('any bytes are refused with a reason, never with a failure', async () => {
  const png = await drawing(8, 8).png().toBuffer()
  const webp = await drawing(8, 8).webp().toBuffer()
  const prefix = fc.constantFrom(png.subarray(0, 8), png, webp.subarray(0, 16), webp, Buffer.from('<svg '))
  await fc.assert(
    fc.asyncProperty(prefix, fc.uint8Array({ maxLength: 80 }), async (start, rest) => {
      expect(await codeOf(Buffer.concat([start, rest]))).toMatch(/^logo_|^accepted$/)
    }),
    { numRuns: 200 },
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

  it('is named by the hash of its served bytes, and is dropped after a day without use', async () => {
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    const unused = await save(svg('<rect width="1" height="8"/>'), yesterday)
    const drafted = await save(svg('<rect width="2" height="8"/>'), yesterday)
    await database.pool.query(
      `insert into content_draft (part, value, edited_by, edited_at) values ('brand', $1, 'a test', now())`,
      [JSON.stringify({ icon: drafted })],
    )
    const fresh = await save(svg('<rect width="3" height="8"/>'))
    expect(await save(svg('<rect width="3" height="8"/>'))).toEqual(fresh)
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

  it('never changes under its name', async () => {
    const { file } = await save(svg('<rect width="4" height="8"/>'))
    await expect(
      database.pool.query(`update brand_picture set bytes = 'x' where file = $1`, [file]),
    ).rejects.toThrow('does not change')
  })
})
