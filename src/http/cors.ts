/**
 * CORS (Fetch standard, section 3.3), for programs of resellers only: a page of another origin may make a
 * call that carries a reseller token, and read its answer. No origin is reflected and no credentials are
 * allowed: `*` discloses nothing, since only a sender of the token gets an answer. Sessions, and the calls
 * that open and close them, are not available to other origins.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearsResellerToken } from './bearer.ts'

const exposed = [
  'x-invoice-id',
  'x-traffic-multiplier',
  'x-payload-bytes',
  'x-request-id',
  'retry-after',
  'idempotency-replayed',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
].join(', ')

/**
 * An onRequest hook: lets the page of another origin read the answers to its reseller token, including
 * refusals.
 */
export function allowResellers(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
  if (bearsResellerToken(request.headers.authorization))
    reply
      .header('access-control-allow-origin', '*')
      .header('access-control-expose-headers', exposed)
      .header('vary', 'authorization')
  next()
}

/** Answers OPTIONS. A preflight names the header but does not carry the token. */
export function preflight(method: 'GET' | 'POST', token: boolean) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.status(204).header('allow', `${method}, OPTIONS`).header('cache-control', 'no-store')
    const wanted = String(request.headers['access-control-request-headers'] ?? '').toLowerCase()
    const announced = wanted.split(',').some((name) => name.trim() === 'authorization')
    if (token && announced) {
      reply
        .header('access-control-allow-origin', '*')
        .header('access-control-allow-methods', method)
        .header(
          'access-control-allow-headers',
          'authorization, content-type, accept-language, idempotency-key',
        )
        .header('access-control-max-age', '7200')
    }
    return reply.send()
  }
}
