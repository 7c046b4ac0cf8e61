/** PNG and WebP, read from their structure and written again without what draws nothing: texts, positions, thumbnails. */
import { crc32, inflateSync } from 'node:zlib'
import { Refusal } from '#lib/refusal'

export interface Raster {
  bytes: Buffer
  width: number
  height: number
}

const broken = () => new Refusal('logo_broken')

/** Refuses a size before anything is decompressed. */
export type CheckSize = (size: { width: number; height: number }) => void

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const pngChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'IDAT', 'IEND'])
/** Samples per pixel by colour type (PNG, section 11.2.2). */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

export const isPng = (bytes: Buffer) => bytes.subarray(0, 8).equals(pngSignature)

/**
 * A PNG (third edition, W3C 2025) without its ancillary chunks. Every checksum must be right, the pixels must be as many as
 * the header says, and nothing may follow the end. Refuses with `logo_broken`, and as `checkSize` does.
 */
export function readPng(bytes: Buffer, checkSize: CheckSize): Raster {
  const parts: Buffer[] = [pngSignature]
  const data: Buffer[] = []
  let [at, last] = [pngSignature.length, '']
  let header: Buffer | undefined
  while (last !== 'IEND') {
    if (at + 12 > bytes.length) throw broken()
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) throw broken()
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) throw broken()
    // The header comes first and once; what must be understood (an upper-case letter) and is unknown is refused.
    if ((type === 'IHDR') !== (header === undefined) || (/^[A-Z]/.test(type) && !pngChunks.has(type)))
      throw broken()
    if (type === 'IHDR') {
      header = bytes.subarray(at + 8, end - 4)
      if (header.length !== 13) throw broken()
      checkSize({ width: header.readUInt32BE(0), height: header.readUInt32BE(4) })
    }
    if (type === 'IDAT') data.push(bytes.subarray(at + 8, end - 4))
    if (pngChunks.has(type)) parts.push(bytes.subarray(at, end))
    ;[at, last] = [end, type]
  }
  if (at !== bytes.length || header === undefined) throw broken()
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  checkPixels(data, {
    width,
    height,
    depth: header.readUInt8(8),
    kind: header.readUInt8(9),
    interlaced: header.readUInt8(12),
  })
  return { bytes: Buffer.concat(parts), width, height }
}

interface Pixels {
  width: number
  height: number
  depth: number
  kind: number
  interlaced: number
}

/** Columns and rows of the seven passes of Adam7: first, step (PNG, section 8.2). */
const adam7 = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const

function checkPixels(data: Buffer[], { width, height, depth, kind, interlaced }: Pixels): void {
  const bits = depth * (samples[kind] ?? Number.NaN)
  if (Number.isNaN(bits) || ![1, 2, 4, 8, 16].includes(depth) || interlaced > 1) throw broken()
  const passes = interlaced === 1 ? adam7 : ([[0, 1, 0, 1]] as const)
  const expected = passes.reduce((sum, [column, acrossStep, row, downStep]) => {
    const columns = Math.ceil((width - column) / acrossStep)
    const rows = Math.ceil((height - row) / downStep)
    return columns > 0 && rows > 0 ? sum + rows * (1 + Math.ceil((columns * bits) / 8)) : sum
  }, 0)
  try {
    if (inflateSync(Buffer.concat(data), { maxOutputLength: expected + 1 }).length === expected) return
  } catch (error) {
    if (!/^(Z_|ERR_BUFFER_TOO_LARGE)/.test((error as { code?: string }).code ?? '')) throw error
  }
  throw broken()
}

export const isWebp = (bytes: Buffer) =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'

const webpChunks = new Set(['VP8X', 'ICCP', 'ALPH', 'VP8 ', 'VP8L'])
/** Bits of VP8X: ICC profile and alpha stay, Exif and XMP are dropped; an animation is refused. */
const keptFlags = 0b0011_0000
const animationFlag = 0b0000_0010

/**
 * A still WebP picture (RFC 9649) without Exif and XMP; nothing may follow the end. Refuses with `logo_broken`, and as
 * `checkSize` does.
 */
export function readWebp(bytes: Buffer, checkSize: CheckSize): Raster {
  if (bytes.length < 20 || bytes.readUInt32LE(4) + 8 !== bytes.length) throw broken()
  const parts: Buffer[] = []
  let canvas: { width: number; height: number } | undefined
  let frame: { width: number; height: number } | undefined
  for (let at = 12; at < bytes.length;) {
    if (at + 8 > bytes.length) throw broken()
    const type = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    const end = at + 8 + size + (size % 2)
    if (end > bytes.length) throw broken()
    const chunk = Buffer.from(bytes.subarray(at, end))
    if (type === 'VP8X') {
      if (at !== 12 || size !== 10 || (chunk.readUInt8(8) & animationFlag) !== 0) throw broken()
      chunk.writeUInt8(chunk.readUInt8(8) & keptFlags, 8)
      canvas = { width: chunk.readUIntLE(12, 3) + 1, height: chunk.readUIntLE(15, 3) + 1 }
    }
    if (type === 'VP8 ' || type === 'VP8L') {
      if (frame !== undefined) throw broken()
      frame = type === 'VP8L' ? losslessSize(chunk) : lossySize(chunk)
    }
    if (webpChunks.has(type)) parts.push(chunk)
    at = end
  }
  if (frame === undefined) throw broken()
  checkSize(frame)
  if (canvas !== undefined && (canvas.width !== frame.width || canvas.height !== frame.height)) throw broken()
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts])
  const head = Buffer.alloc(8)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return { bytes: Buffer.concat([head, body]), ...frame }
}

/** A key frame of VP8 (RFC 6386, section 9.1). */
function lossySize(chunk: Buffer): { width: number; height: number } {
  if (chunk.length < 18 || chunk.readUIntBE(11, 3) !== 0x9d012a) throw broken()
  return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff }
}

function losslessSize(chunk: Buffer): { width: number; height: number } {
  if (chunk.length < 13 || chunk.readUInt8(8) !== 0x2f) throw broken()
  const bits = chunk.readUInt32LE(9)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}
