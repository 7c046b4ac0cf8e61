/** Requests that fail before they are parsed: they get the usual error shape too, and a request id. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type RefusalCode, refusals, sentence } from '#contract/refusals'
import { Refusal } from '#lib/refusal'
import { languageOf, sendError } from './errors.ts'

/** A path that cannot be decoded, or with a part longer than any of ours, is not found. */
export function sendUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  // No hook runs for such a request.
  reply.header('x-request-id', request.id)
  const { code } = error as { code?: string }
  const isPath = code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH'
  sendError(isPath ? new Refusal('not_found') : error, request, reply)
}

/**
 * The refusal of a request without exactly one Host field (RFC 9112 section 3.2). Node.js itself would answer in
 * another shape.
 */
export function hostFault({ raw }: FastifyRequest): Refusal | undefined {
  const { rawHeaders } = raw
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  const isFault = hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')
  return isFault ? new Refusal('malformed_request') : undefined
}

const byParserCode: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

interface ParserFault extends Error {
  code?: string
  /** The bytes read so far. */
  rawPacket?: Buffer
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/**
 * Bytes that are not HTTP, too many headers, or unending headers are answered, and the connection is closed.
 */
export function answerBroken(fault: Error, socket: Socket): void {
  const { code = '', rawPacket } = fault as ParserFault
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = byParserCode[code] ?? 'malformed_request'
  const { status } = refusals[refusal]
  const language = languageOf(/\naccept-language:([^\r\n]*)/i.exec(rawPacket?.toString('latin1') ?? '')?.[1])
  const body = JSON.stringify({ code: refusal, message: sentence(refusal, language) })
  const head = [
    `HTTP/1.1 ${status} ${reasons[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
