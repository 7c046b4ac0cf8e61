/** Texts that the server sends whole: pages, the sitemap, robots.txt. Each with its ETag, compressed once. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Nearly the best compression, in a tenth of the time. */
const brotliQuality = 6

export interface Document {
  text: string
  /** Weak, because one text is sent in several codings. */
  etag: string
  coded: Map<'br' | 'gzip', Promise<Buffer>>
}

export function documentOf(text: string): Document {
  const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  return { text, etag, coded: new Map() }
}

/**
 * The text of a file, read again when the file is replaced: the pages can be rebuilt under a running server.
 */
export function freshFile(file: string, edit: (text: string) => string): () => Promise<Document> {
  let known: { mtimeMs: number; document: Document } | undefined
  return async () => {
    const { mtimeMs } = await stat(file)
    if (known?.mtimeMs !== mtimeMs)
      known = { mtimeMs, document: documentOf(edit(await readFile(file, 'utf8'))) }
    return known.document
  }
}

/** Answers with a document: 304 when the client has it, otherwise compressed as the client prefers. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: Document,
  type: string,
  vary = 'accept-encoding',
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-cache').header('etag', document.etag).header('vary', vary)
  const held = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim())
  if (reply.statusCode === 200 && held.includes(document.etag)) return reply.status(304).send()
  reply.type(type)
  const coding = codingFor(String(request.headers['accept-encoding'] ?? ''))
  if (coding === null) return reply.send(document.text)
  return reply.header('content-encoding', coding).send(await coded(document, coding))
}

/** The best coding that a client accepts (RFC 9110, section 12.5.3); `q=0` is a refusal. */
export function codingFor(accepted: string): 'br' | 'gzip' | null {
  const taken = new Set(
    accepted
      .toLowerCase()
      .split(',')
      .map((part) => part.split(';').map((each) => each.trim()))
      .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ''))
      .map(([coding]) => coding),
  )
  return taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : null
}

function coded(document: Document, coding: 'br' | 'gzip'): Promise<Buffer> {
  const known = document.coded.get(coding)
  if (known !== undefined) return known
  const bytes = Buffer.from(document.text)
  const made =
    coding === 'br'
      ? brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
      : zip(bytes)
  document.coded.set(coding, made)
  return made
}
