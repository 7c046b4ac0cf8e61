/** How a response is passed on: its framing, and which of the two connections are kept. */

import { responseFraming } from '../http/framing.ts'
import { listOf, type RequestHead, type ResponseHead } from '../http/head.ts'

export type ResponsePlan = ReturnType<typeof planOf>

/** `canKeep`: as far as the request allows, the client's connection can be kept. */
export function planOf(head: ResponseHead, request: RequestHead, canKeep: boolean) {
  const framing = responseFraming(head, request.method)
  const isOld = request.version === '1.0'
  // An HTTP/1.0 client does not support chunked coding: it gets the decoded content.
  const decode = framing.kind === 'chunked' && isOld
  const keeps = canKeep && framing.kind !== 'close' && !decode
  const hasCoding = head.fields.some((field) => field.key === 'transfer-encoding')
  return {
    framing,
    decode,
    keeps,
    targetCloses:
      framing.kind === 'close' ||
      head.version === '1.0' ||
      listOf(head.fields, 'connection').includes('close'),
    connection: keeps ? (isOld ? 'keep-alive' : null) : 'close',
    dropFraming: decode ? 'coding' : hasCoding ? 'length' : null,
  } as const
}
