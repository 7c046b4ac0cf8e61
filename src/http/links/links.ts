/**
 * Secret links: they answer with a fresh list of lines, in the form that programs fetch, or with a PAC file.
 * The token in the path is the only credential, so answers must not be cached; refusals are plain text.
 */
import { wire } from '#contract/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Parsed } from '#contract/contract'
import type { Language } from '#contract/language'
import { linkPath } from '#contract/presets/rules'
import { sentence } from '#contract/refusals'
import { Refusal } from '#lib/refusal'
import type { Admission } from '../admission/admission.ts'
import { bodyOf } from '../admission/printed.ts'

interface Link {
  id: bigint
  /** The language of the customer. */
  language: Language
  accountId: bigint
  /** The input of a `get_proxy` call for the same lines. */
  input: Parsed<'get_proxy'>
  /** Long lines as bytes in UTF-8. */
  text: (kind: 'lines' | 'pac') => Promise<string | Buffer>
}

/** The link of a token; null: unknown or revoked, which a caller cannot distinguish. */
export type OpenLink = (token: string, now: Date) => Promise<Link | null>

/** How often one link may be fetched: a list every ten seconds, and a few programs that start together. */
export const linkPace = { perSecond: 0.1, atOnce: 20 }

const types = { lines: 'text/plain; charset=utf-8', pac: 'application/x-ns-proxy-autoconfig' } as const

interface LinksOptions {
  open: OpenLink
  now: () => Date
  languageOf: (acceptLanguage: string | undefined) => Language
  /** Refuses an address that requests too often, any link: no client can try tokens in large numbers. */
  admitAddress: (ip: string) => void
  /** Refuses a link that is fetched too often. */
  admitLink: (id: string) => void
  /** A list costs its owner what `get_proxy` costs, and waits in the same queue. */
  admission: Admission
}

export function mountLinks(server: FastifyInstance, options: LinksOptions): void {
  const { open, now, languageOf, admitAddress, admitLink, admission } = options
  const serve = (kind: 'lines' | 'pac') => async (request: FastifyRequest, reply: FastifyReply) => {
    let language = languageOf(request.headers['accept-language'])
    void reply
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .header('x-robots-tag', 'noindex')
    try {
      admitAddress(request.ip)
      const { token } = request.params as { token: string }
      const link = await open(token, now())
      if (link === null) throw new Refusal('not_found')
      language = link.language
      admitLink(String(link.id))
      const input = kind === 'pac' ? { ...link.input, quantity: 1 } : link.input
      const asker = { account: { id: link.accountId }, ip: request.ip }
      const text = await admission.run(wire.get_proxy, input, asker, () => link.text(kind))
      return await reply.type(types[kind]).send(bodyOf(text))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
      const text = `${error.code}: ${sentence(error.code, language, error.details)}\n`
      return reply.status(error.status).type('text/plain; charset=utf-8').send(text)
    }
  }
  // A HEAD would make lines that are not sent.
  server.get(`${linkPath}/:token`, { exposeHeadRoute: false }, serve('lines'))
  server.get(`${linkPath}/:token/proxy.pac`, { exposeHeadRoute: false }, serve('pac'))
}
