/**
 * A tunnel by CONNECT:
 *
 *     client → admission → target → exit → relay → meter → report
 */

import { HeadFault, type RequestHead } from './http/head.ts'
import type { HttpClient, Next } from './http.client.ts'
import type { HttpRequest } from './forwarding/request.ts'
import { connectResponse } from './responses/responses.ts'
import { NOT_CONNECTED } from './session.reports.ts'
import { writeUnmetered } from './sockets/writer.ts'
import { isSameTarget, parseAuthority, printTarget, type Target } from './targets/target.ts'
import { startTunnel, stopWithClient } from './tunnel.ts'

/**
 * Whether the Host is that of the target, or missing. It is never passed on, but a filter in front of the
 * gateway may judge requests by it.
 */
function isHostOf({ fields }: RequestHead, target: Target): boolean {
  const host = fields.find((field) => field.key === 'host')
  return host === undefined || host.value === '' || isSameTarget(host.value, target)
}

/** Throws the refusal. */
export async function serveConnect(
  { client, reader, stages }: HttpClient,
  request: HttpRequest,
): Promise<Next> {
  if (request.framing.kind !== 'none') throw new HeadFault(400, 'a CONNECT has no body')
  const { admission, targets, reports } = stages

  // client → admission
  const admitted = admission.admit(client, request.presented, request.trace)
  const session = admitted instanceof Promise ? await admitted : admitted
  const stopWatching = stopWithClient(reader, session)
  try {
    // → target → exit
    const target = parseAuthority(request.head.target, null)
    if (!isHostOf(request.head, target))
      throw new HeadFault(400, 'the Host names another target than the CONNECT')
    const { handed } = await targets.open(session, target, 1)
    stopWatching()
    writeUnmetered(reader.socket, connectResponse(session.applied))

    // → relay → meter → report
    startTunnel(session, reports, { client: reader, target: handed, name: printTarget(target) })
    return 'taken'
  } catch (error) {
    stopWatching()
    reports.ended(session, NOT_CONNECTED)
    if (session.isStopped) return 'close'
    throw error
  }
}
