/**
 * The API's documentation: /api/openapi.json, and /docs, where Scalar renders it. Everything comes from this server.
 * The page has a content security policy of its own: Scalar writes its style sheets into the page, so inline styles are
 * allowed; scripts come from this server only, and no other host may be contacted.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { readContent } from '#content'
import { openApi } from '#contract/openapi/openapi'
import type { Database } from '#db'
import { docsPage, docsStart, docsStyle } from './docs.page.ts'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export function mountDocs(
  server: FastifyInstance,
  { publicUrl, database }: { publicUrl: URL; database: Database },
): void {
  // Read for each request: the operator may change it.
  const brand = async () => (await readContent(database.db)).brand.name
  server.get('/api/openapi.json', async (request, reply) => {
    const { origin } = publicUrl
    const document = openApi({ origin, brand: await brand(), version: manifest.version })
    // Tools of other origins read it; it contains no customer's data.
    reply.header('access-control-allow-origin', '*')
    return sendText(request, reply, {
      ...known(JSON.stringify(document)),
      type: 'application/json; charset=utf-8',
      cacheControl: 'no-cache',
    })
  })
  server.get('/docs', async (_request, reply) =>
    reply
      .header('content-security-policy', policy(publicUrl))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(docsPage(await brand())),
  )
  server.get('/docs/', (_request, reply) => reply.redirect('/docs', 301))
  const start = known(docsStart)
  server.get('/docs/start.js', (request, reply) =>
    sendText(request, reply, { ...start, type: 'text/javascript; charset=utf-8', cacheControl: 'no-cache' }),
  )
  const style = known(docsStyle)
  server.get('/docs/style.css', (request, reply) =>
    sendText(request, reply, { ...style, type: 'text/css; charset=utf-8', cacheControl: 'no-cache' }),
  )
  let scalar: Promise<Known> | undefined
  server.get('/docs/scalar.js', async (request, reply) => {
    // Several megabytes that most servers never send: read at the first request.
    const script = await (scalar ??= readScalar().then(known))
    return sendText(request, reply, {
      ...script,
      type: 'text/javascript; charset=utf-8',
      cacheControl: 'public, max-age=86400',
    })
  })
}

const policy = (publicUrl: URL): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    // Calls made from the page go to this server, under the name by which the page was opened.
    `connect-src 'self' ${publicUrl.origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The package provides the script only through its plugin: it is requested once, from a server that never listens. */
async function readScalar(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const shelf = Fastify()
  await shelf.register(scalar, { routePrefix: '/scalar', configuration: { url: '/api/openapi.json' } })
  const { statusCode, body } = await shelf.inject('/scalar/js/scalar.js')
  await shelf.close()
  if (statusCode !== 200) throw new Error(`the script of /docs was answered with ${statusCode}`)
  return body
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
