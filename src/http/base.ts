/**
 * What the servers of the shop and of the desk share: request ids, errors, JSON bodies, security headers,
 * countries.
 */
import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import helmet from 'helmet'
import { countryCode } from '#lib/country'
import { type Cidr, isWithin, parseCidr } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { answerBroken, hostFault, sendUnroutable } from './broken.ts'
import { sendError } from './errors.ts'

const bodyLimitBytes = 64 * 1024
/** The maximum length of a placeholder's value in a path. */
export const maxParamLength = 256

export interface BareOptions {
  log: FastifyBaseLogger
  /** Addresses of reverse proxies whose X-Forwarded-For is used. */
  trustProxy: string[]
}

/** A server without routes. */
export function bareServer({ log, trustProxy }: BareOptions): FastifyInstance {
  const server = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    genReqId: () => randomUUID(),
    requestTimeout: 30_000,
    http: { requireHostHeader: false },
    frameworkErrors: sendUnroutable,
    clientErrorHandler: answerBroken,
    routerOptions: { maxParamLength },
  })
  server.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id)
    next(hostFault(request))
  })
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  server.setNotFoundHandler((request, reply) => sendError(new Refusal('not_found'), request, reply))
  readJson(server)
  return server
}

/** Adds the security headers of a site at this address. */
export function secure(server: FastifyInstance, publicUrl: URL): void {
  // They depend on no request, so they are made once.
  const made = new ServerResponse(new IncomingMessage(new Socket()))
  helmet(securityHeaders(publicUrl))(made.req, made, () => undefined)
  const headers = Object.entries(made.getHeaders()) as [string, string][]
  server.addHook('onRequest', (_request, reply, next) => {
    for (const [name, value] of headers) reply.raw.setHeader(name, value)
    next()
  })
}

/** JSON bodies, parsed once; an empty body of a call without fields counts as `{}`. */
function readJson(server: FastifyInstance): void {
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, {})
    try {
      done(null, JSON.parse(body as string))
    } catch {
      done(new Refusal('malformed_json'))
    }
  })
}

function securityHeaders(publicUrl: URL) {
  const isHttps = publicUrl.protocol === 'https:'
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'same-origin' as const },
    crossOriginEmbedderPolicy: false,
  }
}

interface CountryOptions {
  /** The name of the header; null: none is read. */
  countryHeader: string | null
  /** The addresses of the reverse proxies that write it. */
  trustProxy: readonly string[]
}

/**
 * Reads the country of a request: an ISO 3166-1 code, or null. The header is ignored on connections that do
 * not come from a trusted proxy, because the client could have set it.
 */
export function countryReader({ countryHeader, trustProxy }: CountryOptions) {
  const proxies = trustProxy.map(parseCidr).filter((range): range is Cidr => range !== null)
  return ({ socket, headers }: Pick<FastifyRequest, 'socket' | 'headers'>): string | null => {
    if (countryHeader === null || !isWithin(proxies, socket.remoteAddress ?? '')) return null
    const given = headers[countryHeader]
    return typeof given === 'string' ? countryCode(given) : null
  }
}
