/**
 * Where the body of a message ends, according to its head (RFC 9112 6.3). The framing fields of the forwarded
 * message are made from this verdict (`framingField`); the received ones are never passed on.
 */

import { HeadFault, itemsOf, type Field, type RequestHead, type ResponseHead } from './head.ts'

/**
 * `announced`: the length that the head states although no body follows: 0, or that of the body which a HEAD
 * or a 304 leaves out. `codings`: all transfer codings, "chunked" included.
 */
export type Framing =
  | { kind: 'none'; announced: number | 'chunked' | null }
  | { kind: 'length'; length: number }
  | { kind: 'chunked'; codings: readonly string[] }
  | { kind: 'close'; codings: readonly string[] }

export const WITHOUT_BODY: Framing = { kind: 'none', announced: null }
const EMPTY_BODY: Framing = { kind: 'none', announced: 0 }
const CHUNKED: Framing = { kind: 'chunked', codings: ['chunked'] }
/** The body ends with the connection. */
export const UNTIL_CLOSE: Framing = { kind: 'close', codings: [] }

interface FramingFields {
  /** The items of Transfer-Encoding, in lower case, empty ones included; null: there is no such field. */
  codings: readonly string[] | null
  /** The items of Content-Length, empty ones included; null: there is no such field. */
  lengths: readonly string[] | null
}

function framingFields(fields: readonly Field[]): FramingFields {
  let codings: string[] | null = null
  let lengths: string[] | null = null
  for (const { key, value } of fields) {
    if (key === 'transfer-encoding') (codings ??= []).push(...itemsOf(value.toLowerCase()))
    else if (key === 'content-length') (lengths ??= []).push(...itemsOf(value))
  }
  return { codings, lengths }
}

function lengthOf(digits: string): number {
  // 15 digits are a petabyte, and exact in a number; more are an attempt to overflow one.
  if (!/^[0-9]{1,15}$/.test(digits)) throw new HeadFault(400, 'Content-Length is not a number')
  return Number(digits)
}

function framingOfLength(length: number): Framing {
  return length === 0 ? EMPTY_BODY : { kind: 'length', length }
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

/** How the body of a request ends. Everything that two parsers could read in two ways is refused. */
export function requestFraming(head: RequestHead): Framing {
  const { codings, lengths } = framingFields(head.fields)
  if (codings !== null) {
    if (head.version === '1.0') throw new HeadFault(400, 'Transfer-Encoding in an HTTP/1.0 request')
    if (lengths !== null) throw new HeadFault(400, 'both Transfer-Encoding and Content-Length')
    judgeCodings(codings)
    return CHUNKED
  }
  const [length] = lengths ?? []
  if (length === undefined) return WITHOUT_BODY
  if (lengths !== null && lengths.length > 1) throw new HeadFault(400, 'more than one Content-Length')
  return framingOfLength(lengthOf(length))
}

/**
 * The framing of a response without a body: what its head announces is passed on where it has one meaning
 * only.
 */
function withoutBody({ status, version }: ResponseHead, { codings, lengths }: FramingFields): Framing {
  // An interim response and a 204 announce nothing (RFC 9112 6.1, RFC 9110 8.6).
  if (status < 200 || status === 204) return WITHOUT_BODY
  if (codings !== null)
    return codings.length === 1 && codings[0] === 'chunked' && version === '1.1'
      ? { kind: 'none', announced: 'chunked' }
      : WITHOUT_BODY
  const [length, ...others] = lengths ?? []
  const isLength = length !== undefined && /^[0-9]{1,15}$/.test(length)
  return isLength && others.every((other) => other === length)
    ? { kind: 'none', announced: Number(length) }
    : WITHOUT_BODY
}

/** No registered coding has parameters. */
const CODING = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/

/** How the body of a response to a request of this method ends. */
export function responseFraming(head: ResponseHead, requestMethod: string): Framing {
  const given = framingFields(head.fields)
  if (requestMethod === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304)
    return withoutBody(head, given)
  // Empty items of a list mean nothing (RFC 9110 5.6.1.2); a field of nothing else announces no end of the
  // body.
  const isItem = (item: string) => item !== ''
  if (given.codings !== null) {
    const codings = given.codings.filter(isItem)
    if (head.version === '1.0') throw new HeadFault(400, 'Transfer-Encoding in an HTTP/1.0 response')
    if (codings.length === 0) throw new HeadFault(400, 'Transfer-Encoding is empty')
    if (codings.some((coding) => !CODING.test(coding)))
      throw new HeadFault(400, 'a transfer coding is malformed')
    if (codings.slice(0, -1).includes('chunked'))
      throw new HeadFault(400, '"chunked" is not the last transfer coding')
    return codings.at(-1) === 'chunked' ? { kind: 'chunked', codings } : { kind: 'close', codings }
  }
  if (given.lengths === null) return UNTIL_CLOSE
  const [length, ...others] = given.lengths.filter(isItem)
  if (length === undefined) throw new HeadFault(400, 'Content-Length is empty')
  if (others.some((other) => other !== length)) throw new HeadFault(400, 'contradicting Content-Length')
  return framingOfLength(lengthOf(length))
}

export interface FramingField {
  key: 'content-length' | 'transfer-encoding'
  value: string
}

/** The one field that states this framing; null: none does. */
export function framingField(framing: Framing): FramingField | null {
  if (framing.kind === 'length') return { key: 'content-length', value: String(framing.length) }
  if (framing.kind === 'none') {
    const { announced } = framing
    if (announced === null) return null
    if (announced === 'chunked') return { key: 'transfer-encoding', value: announced }
    return { key: 'content-length', value: String(announced) }
  }
  const { codings } = framing
  return codings.length === 0 ? null : { key: 'transfer-encoding', value: codings.join(', ') }
}

/** Whether a field belongs to the framing, which is made anew for the next connection. */
export function isFramingField({ key }: Field): boolean {
  return key === 'content-length' || key === 'transfer-encoding'
}
