/**
 * The appearance of the brand: its pictures and the style sheet of its colours, each under a name that is
 * derived from its contents.
 */
import type { FastifyInstance } from 'fastify'
import { findPicture } from '#content'
import { accentOfFile, accentSheet, brandPath } from '#contract/colours'
import type { Database } from '#db'

/** The content under such a name never changes. */
const forever = 'public, max-age=31536000, immutable'
/**
 * An SVG opened by itself is a document: this policy lets it run and load nothing, and gives it no origin.
 */
const pictureOnly = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

export function mountBrand(server: FastifyInstance, database: Database): void {
  server.get<{ Params: { file: string } }>(`${brandPath}:file`, async (request, reply) => {
    const { file } = request.params
    const accent = accentOfFile(file)
    if (accent !== null)
      return reply.header('cache-control', forever).type('text/css; charset=utf-8').send(accentSheet(accent))
    const picture = await findPicture(database.db, file)
    if (picture === null) return reply.callNotFound()
    return reply
      .header('cache-control', forever)
      .header('content-security-policy', pictureOnly)
      .header('x-content-type-options', 'nosniff')
      .type(picture.contentType)
      .send(Buffer.from(picture.bytes))
  })
}
