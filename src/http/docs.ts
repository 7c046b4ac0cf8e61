/**
 * The API as an OpenAPI document, /api/openapi.json: in English for programs and tools, and in Russian too
 * for the pages of /docs, which are rendered from it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readContent } from '#content'
import type { Language } from '#contract/language'
import { openApi } from '#contract/openapi/openapi'
import type { Database } from '#db'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export function mountDocs(
  server: FastifyInstance,
  { publicUrl, database }: { publicUrl: URL; database: Database },
): void {
  const written = new Map<Language, { brand: string; document: Known }>()
  const documentIn = async (language: Language): Promise<Known> => {
    // Read for each request: the operator may change it.
    const brand = (await readContent(database.db)).brand.name
    const last = written.get(language)
    if (last?.brand === brand) return last.document
    const { version } = manifest
    const document = known(JSON.stringify(openApi({ origin: publicUrl.origin, brand, version, language })))
    written.set(language, { brand, document })
    return document
  }
  server.get<{ Querystring: { language?: unknown } }>('/api/openapi.json', async (request, reply) => {
    // Tools of other origins read it; it contains no customer's data.
    reply.header('access-control-allow-origin', '*')
    return sendText(request, reply, {
      ...(await documentIn(request.query.language === 'ru' ? 'ru' : 'en')),
      type: 'application/json; charset=utf-8',
      cacheControl: 'no-cache',
    })
  })
  server.get('/docs/', (_request, reply) => reply.redirect('/docs', 301))
}

/** A text and its compressed forms, each made on first use. */
interface Known {
  etag: string
  as: (encoding: 'br' | 'gzip' | 'identity') => Promise<Buffer>
}

function known(text: string): Known {
  const bytes = Buffer.from(text)
  const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const packed = new Map<string, Promise<Buffer>>()
  const pack = {
    identity: () => Promise.resolve(bytes),
    gzip: () => promisify(gzip)(bytes),
    br: () => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  }
  return {
    etag,
    as: (encoding) => {
      const made = packed.get(encoding) ?? pack[encoding]()
      packed.set(encoding, made)
      return made
    },
  }
}

async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, as, type, cacheControl }: Known & { type: string; cacheControl: string },
): Promise<FastifyReply> {
  const encoding = encodingFor(request.headers['accept-encoding'])
  const tag = `"${etag}-${encoding}"`
  reply.header('etag', tag).header('cache-control', cacheControl).header('vary', 'accept-encoding')
  if (request.headers['if-none-match'] === tag) return reply.status(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(type).send(await as(encoding))
}

function encodingFor(accepted: string | string[] | undefined): 'br' | 'gzip' | 'identity' {
  const names = String(accepted ?? '')
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity'
}
