/** A client's connection over HTTP, and the refusals that are sent over it. */

import { bodyReader } from './http/body.ts'
import type { HeadFault } from './http/head.ts'
import type { HttpRequest } from './forwarding/request.ts'
import type { TargetConnection } from './forwarding/target.connection.ts'
import { MeteredWriter } from './metering/metered.writer.ts'
import { type RefusalParts, refusalParts } from './responses/refusal.ts'
import { refusalResponse } from './responses/responses.ts'
import type { GatewayClient } from './session.ts'
import type { SocketReader } from './sockets/reader.ts'
import type { Stages } from './stages.ts'

/** A body this small is read and discarded, so that the connection can be kept after a refusal. */
const MOST_DISCARDED_BYTES = 64 * 1024

/**
 * The state of the connection after a request: the next request, its end, or a tunnel that owns the socket.
 */
export type Next = 'keep' | 'close' | 'taken'

export class HttpClient {
  readonly stages: Stages
  readonly client: GatewayClient
  readonly reader: SocketReader
  /** The connection to the last target, for the next request to the same one. */
  target: TargetConnection | null = null
  /** The request being forwarded; it is notified when the connection is closed. */
  exchange: { clientClosed(): void } | null = null
  #writer: MeteredWriter | null = null

  constructor(stages: Stages, client: GatewayClient, reader: SocketReader) {
    this.stages = stages
    this.client = client
    this.reader = reader
  }

  /** Created on first use: a tunnel needs none. */
  get writer(): MeteredWriter {
    if (this.#writer === null) {
      this.#writer = new MeteredWriter(this.reader.socket)
      this.reader.socket.on('close', () => this.exchange?.clientClosed())
    }
    return this.#writer
  }
}

/** The refusal of a malformed message. */
export function headRefusal(fault: HeadFault): RefusalParts {
  return refusalParts('bad_request', fault.message, { status: fault.status, closes: true })
}

/** Reads and discards the body of a refused request; false when it is too long, or will not be sent. */
export async function discardBody(client: HttpClient, request: HttpRequest): Promise<boolean> {
  const { framing } = request
  if (framing.kind === 'none') return true
  if (request.bodyBegun || framing.kind !== 'length' || framing.length > MOST_DISCARDED_BYTES) return false
  if (request.head.fields.some((field) => field.key === 'expect')) return false
  const body = bodyReader(framing, { lenient: false })
  for (;;) {
    const chunk = await client.reader.read(client.stages.limits.headMs).catch(() => null)
    if (chunk === null || body === null) return false
    const { used, done } = body.take(chunk)
    if (!done) continue
    client.reader.unread(chunk.subarray(used))
    return true
  }
}

/**
 * Sends a refusal. Bytes after the request's head are taken for a request only when the request's end is
 * certain.
 */
export async function refuse(client: HttpClient, request: HttpRequest, parts: RefusalParts): Promise<Next> {
  const isConnect = request.head.method === 'CONNECT'
  // Bytes after a CONNECT were meant for its tunnel.
  const isEndCertain = isConnect ? !client.reader.hasBytes : await discardBody(client, request)
  const keep =
    isEndCertain &&
    request.keepAlive &&
    request.head.version === '1.1' &&
    parts.closes !== true &&
    !client.stages.sessions.isDraining
  const response = refusalResponse(parts, {
    requestId: request.trace.id,
    close: !keep,
    withoutBody: request.head.method === 'HEAD',
  })
  const result = await client.writer.writeUncharged(response)
  return keep && result === 'sent' ? 'keep' : 'close'
}
