/** Where the body of a message ends, according to its head (RFC 9112 6.3); everything ambiguous is refused. */

import { HeadFault, listOf, type Field, type RequestHead, type ResponseHead } from './head.ts'

export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; length: number }
  | { kind: 'chunked' }
  | { kind: 'close' }

const NO_BODY: Framing = { kind: 'none' }

function contentLength(text: string): number {
  // 15 digits are a petabyte, and exact in a number; more are an attempt to overflow one.
  if (!/^[0-9]{1,15}$/.test(text)) throw new HeadFault(400, 'Content-Length is not a number')
  return Number(text)
}

/** Refuses all transfer codings of a request but a single "chunked" (RFC 9112 6.1 and 6.3). */
function judgeCodings(codings: readonly string[]): void {
  // Without "chunked" at the end the body has no certain end.
  if (codings.at(-1) !== 'chunked')
    throw new HeadFault(400, 'the last transfer coding of the request is not "chunked"')
  if (codings.indexOf('chunked') < codings.length - 1)
    throw new HeadFault(400, 'the transfer coding "chunked" is applied twice')
  if (codings.length > 1) throw new HeadFault(501, 'the only transfer coding understood here is "chunked"')
}

/** How the body of a request ends. */
export function requestFraming(head: RequestHead): Framing {
  let isCoded = false
  let length: Field | null = null
  let lengths = 0
  for (const field of head.fields) {
    if (field.key === 'transfer-encoding') isCoded = true
    else if (field.key === 'content-length') {
      length ??= field
      lengths++
    }
  }
  if (isCoded) {
    if (head.version === '1.0') throw new HeadFault(400, 'Transfer-Encoding in an HTTP/1.0 request')
    if (lengths > 0) throw new HeadFault(400, 'both Transfer-Encoding and Content-Length')
    judgeCodings(listOf(head.fields, 'transfer-encoding'))
    return { kind: 'chunked' }
  }
  if (lengths > 1) throw new HeadFault(400, 'more than one Content-Length')
  const bytes = length === null ? 0 : contentLength(length.value)
  return bytes === 0 ? NO_BODY : { kind: 'length', length: bytes }
}

/** How the body of a response ends. */
export function responseFraming(head: ResponseHead, requestMethod: string): Framing {
  if (requestMethod === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304)
    return NO_BODY
  const codings = listOf(head.fields, 'transfer-encoding')
  if (codings.length > 0) {
    if (head.version === '1.0') throw new HeadFault(400, 'Transfer-Encoding in an HTTP/1.0 response')
    if (codings.indexOf('chunked') < codings.length - 1 && codings.includes('chunked')) {
      throw new HeadFault(400, '"chunked" is not the last transfer coding')
    }
    return codings.at(-1) === 'chunked' ? { kind: 'chunked' } : { kind: 'close' }
  }
  const lengths = listOf(head.fields, 'content-length')
  const [length] = lengths
  if (length === undefined) return { kind: 'close' }
  if (lengths.some((other) => other !== length)) throw new HeadFault(400, 'contradicting Content-Length')
  const bytes = contentLength(length)
  return bytes === 0 ? NO_BODY : { kind: 'length', length: bytes }
}
