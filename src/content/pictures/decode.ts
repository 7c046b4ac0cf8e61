/**
 * Decodes a logo with libvips (by sharp) and encodes its pixels again, so that nothing else of the file is
 * ever served: no script, no metadata, no bytes after its end. An SVG becomes a PNG: librsvg draws it without
 * scripts and without other files.
 */
import { mostLogoBytes, mostLogoPixels, mostLogoRatio } from '#contract/desk/content'
import { Refusal } from '#lib/refusal'
import { imageType } from './image.ts'

export interface Decoded {
  bytes: Buffer
  contentType: 'image/png' | 'image/webp'
  width: number
  height: number
}

interface Size {
  width: number
  height: number
}

/** The length of the longer side of a drawn SVG, in pixels. */
const drawnPixels = 512
/** CSS pixels per inch, in which librsvg states the size of an SVG. */
const cssDensity = 72
/** Parts of an SVG that are drawn once for each reference: nested, they multiply what is drawn. */
const references = ['use', 'pattern', 'filter', 'mask', 'symbol', 'clippath']
const mostReferences = 16
/**
 * Elements that multiply the work without a reference: entities in the text, and markers drawn at each point
 * of a path.
 */
const multipliers = ['<!entity', 'marker']

type Sharp = (typeof import('sharp'))['default']

/** Loaded with the first logo: no other part of the shop decodes pictures. */
async function loadSharp(): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer', 'VipsForeignLoadSvgBuffer'],
  })
  return sharp
}

function checkSize({ width, height }: Size): void {
  if (width < 1 || height < 1 || width > mostLogoPixels || height > mostLogoPixels)
    throw new Refusal('logo_pixels', { width, height, most: mostLogoPixels })
  if (Math.max(width / height, height / width) > mostLogoRatio)
    throw new Refusal('logo_ratio', { width, height, most: mostLogoRatio })
}

function kindOf(bytes: Buffer): 'png' | 'webp' | 'svg' {
  const type = imageType(bytes)
  if (type === 'image/png') return 'png'
  if (type === 'image/webp') return 'webp'
  const beginning = bytes.subarray(0, 512).toString('utf8').replace('\uFEFF', '').trimStart()
  if (type !== null || !beginning.startsWith('<')) throw new Refusal('logo_kind')
  return 'svg'
}

/**
 * A logo as it is served: a PNG or WebP of at most `mostLogoPixels` per side. Refuses with `logo_kind`
 * (neither PNG, WebP nor SVG), `logo_bytes`, `logo_pixels`, `logo_ratio` and `logo_broken` (damaged,
 * animated, or too complex to draw).
 */
export async function decodePicture(given: Uint8Array): Promise<Decoded> {
  const bytes = Buffer.from(given)
  if (bytes.length > mostLogoBytes) throw new Refusal('logo_bytes', { most: mostLogoBytes / 1024 })
  const kind = kindOf(bytes)
  const sharp = await loadSharp()
  try {
    return kind === 'svg' ? await draw(sharp, bytes) : await writeAnew(sharp, bytes, kind)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('logo_broken')
  }
}

async function writeAnew(sharp: Sharp, bytes: Buffer, kind: 'png' | 'webp'): Promise<Decoded> {
  const { width, height, pages = 1 } = await sharp(bytes, { limitInputPixels: false }).metadata()
  checkSize({ width, height })
  if (pages > 1) throw new Refusal('logo_broken')
  const image = sharp(bytes, { failOn: 'warning', limitInputPixels: mostLogoPixels ** 2 })
  const written = kind === 'png' ? image.png({ compressionLevel: 9 }) : image.webp({ quality: 92 })
  return { bytes: await written.toBuffer(), contentType: `image/${kind}`, width, height }
}

/**
 * Whether drawing an SVG may take more than a moment. A name in a text or comment counts too, which harms
 * nobody.
 */
function isTooComplex(svg: string): boolean {
  const text = svg.toLowerCase()
  const countOf = (word: string) => text.split(`<${word}`).length + text.split(`:${word}`).length - 2
  const counted = references.map(countOf).reduce((sum, count) => sum + count, 0)
  return counted > mostReferences || multipliers.some((word) => text.includes(word))
}

async function draw(sharp: Sharp, bytes: Buffer): Promise<Decoded> {
  if (isTooComplex(bytes.toString('utf8'))) throw new Refusal('logo_broken')
  const own = await sharp(bytes).metadata()
  const longer = Math.max(own.width, own.height)
  const scaled = (length: number) => Math.max(1, Math.round((length * drawnPixels) / longer))
  const size = { width: scaled(own.width), height: scaled(own.height) }
  checkSize(size)
  const density = Math.min(100_000, Math.max(1, (cssDensity * drawnPixels) / longer))
  const image = sharp(bytes, { density, limitInputPixels: (2 * drawnPixels) ** 2 }).resize(
    size.width,
    size.height,
    { fit: 'fill' },
  )
  return { bytes: await image.png({ compressionLevel: 9 }).toBuffer(), contentType: 'image/png', ...size }
}
