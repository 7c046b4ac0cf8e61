/**
 * Answers of bytes: pictures, cached by browsers and validated by their ETags, and downloads of a person's
 * data.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { personalDataPath } from '#contract/wire'
import { Refusal } from '#lib/refusal'

export interface Blob {
  bytes: Uint8Array
  content_type: string
  /** Set: a file for the caller alone, which is saved under this name. */
  name?: string | undefined
}

/** Sends 200 with the bytes, or 304 for a picture that the client has (RFC 9110, 8.8.3 and 13.1.2). */
export function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  blob: Blob,
  // The picture of an id never changes: only its removal makes a cached one stale.
  caching = 'public, max-age=86400',
): FastifyReply {
  if (blob.name !== undefined)
    return reply
      .header('cache-control', 'private, no-store')
      .header('content-disposition', `attachment; filename="${blob.name}"`)
      .type(blob.content_type)
      .send(Buffer.from(blob.bytes))
  const etag = `"${createHash('sha256').update(blob.bytes).digest('base64url')}"`
  reply.header('etag', etag).header('cache-control', caching).header('vary', 'authorization')
  if (hasAlready(request.headers['if-none-match'], etag)) return reply.status(304).send()
  return reply
    .type(blob.content_type)
    .send(Buffer.from(blob.bytes.buffer, blob.bytes.byteOffset, blob.bytes.length))
}

/**
 * Sends bytes that only permitted callers may see: browsers validate them by the ETag on every use. Opened as
 * a page of their own, they can load and run nothing.
 */
export function sendPrivateBlob(request: FastifyRequest, reply: FastifyReply, blob: Blob): FastifyReply {
  reply.header('content-security-policy', "default-src 'none'").header('x-content-type-options', 'nosniff')
  return sendBlob(request, reply, blob, 'private, no-cache')
}

/** Compares weakly, as If-None-Match requires: W/ is ignored. */
function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''))
  return known.includes('*') || known.includes(etag)
}

/** Opens and uses up the download of a token; null: unknown, used or expired. */
export type OpenDownload = (token: string, now: Date) => Promise<{ name: string; content: Readable } | null>

/**
 * Serves downloads at single-use links that a call has issued; `admit` refuses clients that may not download.
 */
export function mountDownload(
  server: FastifyInstance,
  {
    open,
    now,
    admit,
  }: { open: OpenDownload; now: () => Date; admit: (request: FastifyRequest) => Promise<void> },
): void {
  server.get<{ Querystring: { token?: unknown } }>(
    personalDataPath,
    // A HEAD would use the link up.
    { exposeHeadRoute: false },
    async (request, reply) => {
      await admit(request)
      const { token } = request.query
      const download = typeof token === 'string' ? await open(token, now()) : null
      if (download === null) throw new Refusal('download_link_invalid')
      reply.raw.once('close', () => download.content.destroy())
      return reply
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .header('content-disposition', `attachment; filename="${download.name}"`)
        .type('application/zip')
        .send(download.content)
    },
  )
}
