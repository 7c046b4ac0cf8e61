/**
 * The reads of the first screen of the account, in one request: its page begins them before its scripts have
 * loaded. Each is made as the browser would make it, with the caller's own headers and address, so that
 * authority, pace and masks are those of the calls themselves.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Name } from '#contract/contract'
import { firstReadsPath, frameOf } from '#contract/frames/frames'
import type { Language } from '#contract/language'
import { type Ask, type PageRenderer, shownKeys } from '#contract/page-renderer'
import { pathOf, wire } from '#contract/wire'

const brotli = promisify(brotliCompress)
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
/** Saved settings of the generator are smaller; longer ones are not read. */
const mostCharacters = 32_000

/** Headers of the request itself; the others are also those of its reads. */
const ownHeaders = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'idempotency-key',
  'transfer-encoding',
]

interface FirstReadsOptions {
  /** Knows which reads a screen makes. */
  renderer: () => Promise<PageRenderer>
  /** Completes the HTML of a screen. */
  edit: (text: string) => string
  languageOf: (acceptLanguage: string | undefined) => Language
  /** The best coding that a client accepts. */
  codingFor: (accepted: string) => 'br' | 'gzip' | null
}

export function mountFirstReads(server: FastifyInstance, options: FirstReadsOptions): void {
  const { renderer, edit, languageOf, codingFor } = options
  server.post(firstReadsPath, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (request.headers.authorization === undefined) return { answers: [], html: null }
    const { search, stored } = fieldsOf(request.body)
    const language = languageOf(request.headers['accept-language'])
    const { firstScreen } = await renderer()
    const frame = frameOf('/account', new URLSearchParams(search))
    const screen = { frame, language, stored, nowMs: Date.now() }
    const { answers, html } = await firstScreen(screen, askAs(server, request, language))
    const body = JSON.stringify({ answers, html: html === null ? null : edit(html) })
    reply.type('application/json; charset=utf-8')
    if (codingFor(String(request.headers['accept-encoding'] ?? '')) !== 'br') return reply.send(body)
    return reply.header('content-encoding', 'br').send(await brotli(body, quality))
  })
}

function fieldsOf(body: unknown) {
  const fields = recordOf(body)
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && value.length <= mostCharacters
  const given = recordOf(fields['stored'])
  const stored = shownKeys.flatMap((key) => (isText(given[key]) ? [[key, given[key]] as const] : []))
  return {
    search: isText(fields['search']) ? fields['search'] : '',
    stored: Object.fromEntries(stored) as Record<string, string>,
  }
}

const recordOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>

/** Calls this server as the caller of a request; a refused answer is undefined. */
function askAs(server: FastifyInstance, request: FastifyRequest, language: Language): Ask {
  const passed = Object.entries(request.headers).filter(([name]) => !ownHeaders.includes(name))
  const headers = { ...Object.fromEntries(passed), 'accept-language': language } as Record<string, string>
  const remoteAddress = request.socket.remoteAddress ?? '127.0.0.1'
  return async <N extends Name>(name: N, input: object) => {
    const { method, answer: kind } = wire[name]
    const url = pathOf(name)
    const answer =
      method === 'GET'
        ? await server.inject({ method, url, headers, remoteAddress, query: input as Record<string, string> })
        : await server.inject({ method, url, headers, remoteAddress, payload: input })
    if (answer.statusCode !== 200) return undefined
    return (kind === 'text' ? answer.body : answer.json()) as never
  }
}
