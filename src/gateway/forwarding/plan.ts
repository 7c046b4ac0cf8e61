/** How an answer goes on: framed how, and what of its connections is kept. */

import { responseFraming } from '../http/framing.ts'
import { listOf, type RequestHead, type ResponseHead } from '../http/head.ts'

export type Plan = ReturnType<typeof planOf>

/** How an answer goes on to who asked; `canKeep`: as far as the request goes, the client's connection can be kept. */
export function planOf(head: ResponseHead, asked: RequestHead, canKeep: boolean) {
  const framing = responseFraming(head, asked.method)
  const old = asked.version === '1.0'
  // The client knows no chunks: it gets what is in them.
  const decode = framing.kind === 'chunked' && old
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
    connection: keeps ? (old ? 'keep-alive' : null) : 'close',
    dropFraming: decode ? 'coding' : hasCoding ? 'length' : null,
  } as const
}
