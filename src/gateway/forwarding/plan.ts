/** How a response is passed on: its framing, and which of the two connections are kept. */

import { type Framing, responseFraming, UNTIL_CLOSE, WITHOUT_BODY } from '../http/framing.ts'
import { HeadFault, listOf, type RequestHead, type ResponseHead } from '../http/head.ts'

export type ResponsePlan = ReturnType<typeof planOf>

/**
 * The framing for the client. An HTTP/1.0 client understands no transfer coding: "chunked" is decoded for it.
 */
function sentFraming(framing: Framing, isOld: boolean): Framing {
  if (!isOld || framing.kind === 'length') return framing
  if (framing.kind === 'none') return framing.announced === 'chunked' ? WITHOUT_BODY : framing
  const { length } = framing.codings
  if (length > (framing.kind === 'chunked' ? 1 : 0))
    throw new HeadFault(400, 'a transfer coding that an HTTP/1.0 client does not understand')
  return UNTIL_CLOSE
}

/** `canKeep`: the request allows the client's connection to be kept. */
export function planOf(head: ResponseHead, request: RequestHead, canKeep: boolean) {
  const framing = responseFraming(head, request.method)
  const isOld = request.version === '1.0'
  const decode = framing.kind === 'chunked' && isOld
  const keeps = canKeep && framing.kind !== 'close' && !decode
  return {
    /** The framing of the response as it is received. */
    framing,
    /** The framing of the response as it is passed on. */
    sent: sentFraming(framing, isOld),
    decode,
    keeps,
    targetCloses:
      framing.kind === 'close' ||
      head.version === '1.0' ||
      listOf(head.fields, 'connection').includes('close'),
    connection: keeps ? (isOld ? 'keep-alive' : null) : 'close',
  } as const
}
