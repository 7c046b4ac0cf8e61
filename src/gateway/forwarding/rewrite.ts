/** How heads change on their way through a forward proxy (RFC 9110 7.6, RFC 9112 3.2): pure. */

import { connectionOptions, printHead, type Field, type RequestHead, type ResponseHead } from '../http/head.ts'
import { parseAuthority, printTarget, type Target } from '../targets/target.ts'
import { type Applied, ProxyRefusal, proxyStatus, SOCKS_REPLY } from '../responses/refusal.ts'

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'te', 'upgrade'])

/** Whether a field goes on to the other end; `named` are the options of its connection. */
function isEndToEnd({ key }: Field, named: readonly string[]): boolean {
  if (HOP_BY_HOP.has(key)) return false
  // What a proxy is told is never the target's business, and what a target says to proxies not the client's.
  if (key.startsWith('proxy-') && key !== 'proxy-status') return false
  // Framing is not an option of a connection, whatever a peer claims.
  return !named.includes(key) || key === 'content-length' || key === 'transfer-encoding'
}

/** One line of a head. Heads are put together as texts: with each request, fields as objects would be made twice. */
const line = (name: string, value: string) => `${name}: ${value}\r\n`

export interface Forwarding {
  target: Target
  /** The authority as the client spelled it, for Host. */
  authority: string
  /** Path and query, byte for byte. */
  path: string
}

/** Reads the absolute-form target of a request to a proxy. Refuses anything but `http://host[:port][path]`. */
export function readAbsoluteForm(head: RequestHead): Forwarding {
  const bad = (sentence: string) =>
    new ProxyRefusal({
      status: 400,
      code: 'bad_target',
      sentence,
      error: 'http_request_error',
      reply: SOCKS_REPLY.failure,
    })
  const match = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(head.target)
  if (match === null) {
    throw bad(
      head.target.startsWith('/')
        ? 'this is a proxy: the request must name the whole address, "http://host/path"'
        : 'only http:// addresses are forwarded; use CONNECT for others',
    )
  }
  const [, authority = '', rest = ''] = match
  if (authority.includes('@')) throw bad('the address holds credentials')
  const target = parseAuthority(authority, 80)
  if (head.method === 'OPTIONS' && rest === '') return { target, authority, path: '*' }
  return { target, authority, path: rest.startsWith('/') ? rest : `/${rest}` }
}

const SCHEME = 'http://'

/**
 * What `readAbsoluteForm` gives, at once, when the request goes where the `last` one of its connection went; null: it is
 * to be read.
 */
export function sameAuthority({ method, target }: RequestHead, last: Forwarding | null): Forwarding | null {
  if (last === null || method === 'OPTIONS') return null
  const { authority } = last
  const end = SCHEME.length + authority.length
  const isSame =
    target.startsWith(SCHEME) && target.startsWith(authority, SCHEME.length) && target[end] === '/'
  return isSame && !target.includes('#') ? { target: last.target, authority, path: target.slice(end) } : null
}

/** How many times an OPTIONS may still be forwarded; null: it does not say. */
function hopsLeft(head: RequestHead): number | null {
  if (head.method !== 'OPTIONS') return null
  const [given] = head.fields.filter((field) => field.key === 'max-forwards')
  return given !== undefined && /^[0-9]{1,9}$/.test(given.value) ? Number(given.value) : null
}

/** Whether an OPTIONS may go no further than here. */
export function answersItself(head: RequestHead): boolean {
  return hopsLeft(head) === 0
}

/** Whether the request asks to turn into a websocket; other upgrades are hop-by-hop and end here. */
export function wantsWebsocket(head: RequestHead): boolean {
  return (
    head.version === '1.1' &&
    head.method === 'GET' &&
    connectionOptions(head.fields).includes('upgrade') &&
    head.fields.some((field) => field.key === 'upgrade' && field.value.toLowerCase() === 'websocket')
  )
}

/**
 * The authority for a proxy that will read it once more. An address is spelled as we have judged it: `010.0.0.1` is a
 * public one to us and a private one to who takes it for decimal.
 */
function plainAuthority({ target, authority }: Forwarding): string {
  return target.ip === null ? authority : printTarget(target)
}

/** How a request goes on. */
export interface RequestWay {
  upgrade: boolean
  forwardedFor: string | null
  /** Set when it goes to a proxy that forwards it: what that is shown, or null for nothing. */
  forwards?: { authorization: string | null } | null
}

/** The request's head as the target gets it: order, case and repetitions of fields kept. `passed`: its fields, when they are at hand. */
export function rewriteRequest(
  head: RequestHead,
  forwarding: Forwarding,
  way: RequestWay,
  passed = requestFields(head, forwarding, way),
): Buffer {
  return printHead(requestLine(head, forwarding, way), passed, '')
}

const authorityOf = (forwarding: Forwarding, { forwards = null }: RequestWay) =>
  forwards === null ? forwarding.authority : plainAuthority(forwarding)

/** The first line, without its end. */
function requestLine({ method }: RequestHead, forwarding: Forwarding, way: RequestWay): string {
  const { path } = forwarding
  if ((way.forwards ?? null) === null) return `${method} ${path} HTTP/1.1`
  // The asterisk form is for servers; a proxy is told by an empty path (RFC 9112 3.2.4).
  return `${method} http://${authorityOf(forwarding, way)}${path === '*' ? '' : path} HTTP/1.1`
}

/** The other lines, each with its end. They hang on the fields, the version, the authority and the way; with OPTIONS on more. */
export function requestFields(head: RequestHead, forwarding: Forwarding, way: RequestWay): string {
  const { upgrade, forwardedFor, forwards = null } = way
  const hops = hopsLeft(head)
  const authority = authorityOf(forwarding, way)
  const named = connectionOptions(head.fields)
  let fields = ''
  let hasHost = false
  for (const field of head.fields) {
    const { name, key, value } = field
    if (!isEndToEnd(field, named)) continue
    if (key === 'host') {
      hasHost = true
      fields += line(name, authority)
    } else fields += line(name, key === 'max-forwards' && hops !== null ? String(hops - 1) : value)
  }
  if (!hasHost) fields = line('Host', authority) + fields
  if (upgrade) fields += `${line('Connection', 'Upgrade')}${line('Upgrade', 'websocket')}`
  if (forwardedFor !== null)
    fields += `${line('Via', `${head.version} turnpike`)}${line('X-Forwarded-For', forwardedFor)}`
  if (forwards?.authorization != null) fields += line('Proxy-Authorization', forwards.authorization)
  return fields
}

/**
 * How an answer says which way it came (RFC 9209 section 2: every proxy adds itself behind those before it). A request
 * id that the target has given is the target's: ours stands in our member of Proxy-Status alone then.
 */
function signature(head: ResponseHead, applied: Applied): string {
  const status = line('Proxy-Status', proxyStatus(applied))
  if (head.fields.some((field) => field.key === 'x-request-id')) return status
  return status + line('X-Request-Id', applied.requestId)
}

/** What of a body's framing does not go on: its length, or its coding. */
export type DropFraming = 'length' | 'coding' | null

/** The fields of a response that go on as they are, each with its line's end. */
export function responseFields(head: ResponseHead, dropFraming: DropFraming): string {
  const named = connectionOptions(head.fields)
  let fields = ''
  let lengths = 0
  for (const field of head.fields) {
    const { name, key, value } = field
    if (!isEndToEnd(field, named)) continue
    if (key === 'content-length') {
      // Repeated, they say the same: `responseFraming` has seen to it.
      if (dropFraming !== 'length' && ++lengths === 1)
        fields += line(name, (value.split(',')[0] ?? '').trim())
    } else if (key !== 'transfer-encoding' || dropFraming !== 'coding') fields += line(name, value)
  }
  return fields
}

export interface ResponseWay {
  connection: 'close' | 'keep-alive' | 'upgrade' | null
  dropFraming: DropFraming
  /** Null: an interim answer, which is passed on unsigned. */
  applied: Applied | null
}

/** The response's head as the client gets it, with what may follow it at once in the same bytes. */
export function rewriteResponse(
  head: ResponseHead,
  { connection, dropFraming, applied }: ResponseWay,
  body?: Buffer,
  passed = responseFields(head, dropFraming),
): Buffer {
  let added = applied === null ? '' : signature(head, applied)
  if (connection === 'upgrade') {
    added += line('Connection', 'Upgrade')
    for (const { name, key, value } of head.fields) if (key === 'upgrade') added += line(name, value)
  } else if (connection !== null) added += line('Connection', connection)
  return printHead(`HTTP/1.1 ${head.status} ${head.reason}`, passed, added, body)
}
