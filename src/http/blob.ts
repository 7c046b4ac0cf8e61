/** Answers of bytes: a picture with its content type, cached by browsers and validated by its ETag. */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Blob {
  bytes: Uint8Array
  content_type: string
}

/** 200 with the bytes, or 304 when the client has them (RFC 9110, sections 8.8.3 and 13.1.2). */
export function sendBlob(request: FastifyRequest, reply: FastifyReply, blob: Blob): FastifyReply {
  const etag = `"${createHash('sha256').update(blob.bytes).digest('base64url')}"`
  // The picture of an id never changes: only its removal makes a cached one stale.
  reply.header('etag', etag).header('cache-control', 'public, max-age=86400').header('vary', 'authorization')
  if (hasAlready(request.headers['if-none-match'], etag)) return reply.status(304).send()
  return reply
    .type(blob.content_type)
    .send(Buffer.from(blob.bytes.buffer, blob.bytes.byteOffset, blob.bytes.length))
}

/** Compares weakly, as If-None-Match requires: W/ is ignored. */
function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''))
  return known.includes('*') || known.includes(etag)
}
