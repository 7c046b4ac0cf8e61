/** How a forward proxy changes the heads of requests and responses (RFC 9110 7.6, RFC 9112 3.2). Pure. */

import { type Framing, framingField, isFramingField, WITHOUT_BODY } from '../http/framing.ts'
import {
  connectionOptions,
  printHead,
  type Field,
  type RequestHead,
  type ResponseHead,
} from '../http/head.ts'
import { parseAuthority, printTarget, type Target } from '../targets/target.ts'
import { refusal } from '../responses/refusal.ts'
import { type Applied, httpDate, proxyStatus } from '../responses/responses.ts'

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'te', 'upgrade'])

/** Whether a field is passed on; `named` are the options of its connection. */
function isEndToEnd({ key }: Field, named: readonly string[]): boolean {
  if (HOP_BY_HOP.has(key)) return false
  // Fields for proxies concern neither the target nor the client.
  if (key.startsWith('proxy-') && key !== 'proxy-status') return false
  return !named.includes(key)
}

/**
 * The lines of the fields that are passed on, each with its end. A framing field made from the verdict on the
 * message takes the place of the first received one; `valueOf` returns the value of any other field.
 */
function passedFields(fields: readonly Field[], framing: Framing, valueOf: (field: Field) => string): string {
  const named = connectionOptions(fields)
  const own = framingField(framing)
  let isStated = false
  let lines = ''
  for (const field of fields) {
    if (isFramingField(field)) {
      if (isStated || field.key !== own?.key) continue
      lines += line(field.name, own.value)
      isStated = true
    } else if (isEndToEnd(field, named)) lines += line(field.name, valueOf(field))
  }
  return lines
}

/**
 * One line of a head. Heads are built as texts, because objects for their fields would be made with each
 * request.
 */
const line = (name: string, value: string) => `${name}: ${value}\r\n`

export interface Forwarding {
  target: Target
  /** The authority as the client spelled it, for the Host field. */
  authority: string
  /** Path and query, byte for byte; bytes above ASCII are percent-encoded. */
  path: string
}

/** Percent-encodes bytes that clients send raw, mostly UTF-8, as a URI requires (RFC 3986 2.1). */
function encoded(path: string): string {
  return path.replace(/[\x80-\xff]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function notAbsolute(target: string): string {
  if (target.startsWith('/'))
    return 'this is a proxy: the request must name the whole address, "http://host/path"'
  if (/^(?:https|wss):/i.test(target)) return 'https:// and wss:// need a tunnel; use CONNECT'
  return 'only http:// and ws:// addresses are forwarded; use CONNECT for others'
}

/**
 * Parses the absolute-form target of a request to a proxy: `http://host[:port][path]`. `ws://` is the same:
 * the upgrade to a websocket is requested over plain HTTP. A fragment, which some clients send, is no part of
 * a target and is dropped.
 */
export function readAbsoluteForm(head: RequestHead): Forwarding {
  const bad = (sentence: string) => refusal('bad_target', sentence)
  const match = /^(?:http|ws):\/\/([^/?#]*)([^#]*)/i.exec(head.target)
  if (match === null) throw bad(notAbsolute(head.target))
  const [, authority = '', rest = ''] = match
  if (authority.includes('@')) throw bad('the address holds credentials')
  const target = parseAuthority(authority, 80)
  if (head.method === 'OPTIONS' && rest === '') return { target, authority, path: '*' }
  return { target, authority, path: encoded(rest.startsWith('/') ? rest : `/${rest}`) }
}

const SCHEME = 'http://'

/**
 * The result of `readAbsoluteForm` for a request to the target of the `last` one; null: it must be parsed.
 */
export function sameAuthority({ method, target }: RequestHead, last: Forwarding | null): Forwarding | null {
  if (last === null || method === 'OPTIONS') return null
  const { authority } = last
  const end = SCHEME.length + authority.length
  const isSame =
    target.startsWith(SCHEME) && target.startsWith(authority, SCHEME.length) && target[end] === '/'
  if (!isSame || target.includes('#')) return null
  return { target: last.target, authority, path: encoded(target.slice(end)) }
}

/** The number of further proxies that may forward an OPTIONS; null: not specified. */
function hopsLeft(head: RequestHead): number | null {
  if (head.method !== 'OPTIONS') return null
  const [given] = head.fields.filter((field) => field.key === 'max-forwards')
  return given !== undefined && /^[0-9]{1,9}$/.test(given.value) ? Number(given.value) : null
}

/** Whether an OPTIONS is meant for this proxy, because it may not be forwarded. */
export function isForThisProxy(head: RequestHead): boolean {
  return hopsLeft(head) === 0
}

/**
 * Whether the request asks for an upgrade to a websocket; other upgrades are hop-by-hop and are not passed
 * on.
 */
export function wantsWebsocket(head: RequestHead): boolean {
  return (
    head.version === '1.1' &&
    head.method === 'GET' &&
    connectionOptions(head.fields).includes('upgrade') &&
    head.fields.some((field) => field.key === 'upgrade' && field.value.toLowerCase() === 'websocket')
  )
}

/**
 * The authority for a proxy that will parse it again. An address is spelled as it was judged: `010.0.0.1` is
 * a public address to a parser that reads octal, and a private one to a parser that reads decimal.
 */
function plainAuthority({ target, authority }: Forwarding): string {
  return target.ip === null ? authority : printTarget(target)
}

/** How a request is passed on. */
export interface RequestOptions {
  /** The framing of its body, as `requestFraming` has read it. */
  framing: Framing
  upgrade: boolean
  forwardedFor: string | null
  /**
   * Set when it is sent to a proxy that forwards it: the authorization that the proxy gets, or null for none.
   */
  forwards?: { authorization: string | null } | null
}

/**
 * The request's head for the target: order, case and repetitions of fields are kept. `passed`: its
 * `requestFields`.
 */
export function rewriteRequest(
  head: RequestHead,
  forwarding: Forwarding,
  options: RequestOptions,
  passed = requestFields(head, forwarding, options),
): Buffer {
  return printHead(requestLine(head, forwarding, options), passed, '')
}

const authorityOf = (forwarding: Forwarding, { forwards = null }: RequestOptions) =>
  forwards === null ? forwarding.authority : plainAuthority(forwarding)

/** The first line, without its end. */
function requestLine({ method }: RequestHead, forwarding: Forwarding, options: RequestOptions): string {
  const { path } = forwarding
  if ((options.forwards ?? null) === null) return `${method} ${path} HTTP/1.1`
  // The asterisk form is for servers; a proxy gets an empty path (RFC 9112 3.2.4).
  return `${method} http://${authorityOf(forwarding, options)}${path === '*' ? '' : path} HTTP/1.1`
}

/**
 * The other lines, each with its end. They depend on fields, version, authority and options only; those of an
 * OPTIONS also on its Max-Forwards.
 */
export function requestFields(head: RequestHead, forwarding: Forwarding, options: RequestOptions): string {
  const { framing, upgrade, forwardedFor, forwards = null } = options
  const hops = hopsLeft(head)
  const authority = authorityOf(forwarding, options)
  let hasHost = false
  let fields = passedFields(head.fields, framing, ({ key, value }) => {
    if (key === 'host') {
      hasHost = true
      return authority
    }
    return key === 'max-forwards' && hops !== null ? String(hops - 1) : value
  })
  if (!hasHost) fields = line('Host', authority) + fields
  if (upgrade) fields += `${line('Connection', 'Upgrade')}${line('Upgrade', 'websocket')}`
  if (forwardedFor !== null)
    fields += `${line('Via', `${head.version} turnpike`)}${line('X-Forwarded-For', forwardedFor)}`
  if (forwards?.authorization != null) fields += line('Proxy-Authorization', forwards.authorization)
  return fields
}

/**
 * The fields that the gateway adds to a response. It identifies itself (RFC 9209 section 2: every proxy
 * appends its own member); when the target has set an X-Request-Id, the gateway's id is in Proxy-Status only.
 * A final response without a Date gets the time at which it was received (RFC 9110 section 6.6.1).
 */
function addedFields({ status, fields }: ResponseHead, applied: Applied): string {
  let hasId = false
  let hasDate = status < 200
  for (const { key } of fields) {
    if (key === 'x-request-id') hasId = true
    else if (key === 'date') hasDate = true
  }
  let added = line('Proxy-Status', proxyStatus(applied))
  if (!hasId) added += line('X-Request-Id', applied.requestId)
  if (!hasDate) added += line('Date', httpDate())
  return added
}

/**
 * The lines of a response that are passed on, each with its end; `framing` is that of the response as it is
 * sent.
 */
export function responseFields(head: ResponseHead, framing: Framing): string {
  return passedFields(head.fields, framing, ({ value }) => value)
}

export interface ResponseOptions {
  connection: 'close' | 'keep-alive' | 'upgrade' | null
  /** The framing of the body as it is sent to the client; none for an interim response and an upgrade. */
  framing?: Framing
  /** Null: an interim response, which gets no fields of the gateway's. */
  applied: Applied | null
}

/** The response's head for the client, followed by `body` in the same bytes. */
export function rewriteResponse(
  head: ResponseHead,
  { connection, framing = WITHOUT_BODY, applied }: ResponseOptions,
  body?: Buffer,
  passed = responseFields(head, framing),
): Buffer {
  let added = applied === null ? '' : addedFields(head, applied)
  if (connection === 'upgrade') {
    added += line('Connection', 'Upgrade')
    for (const { name, key, value } of head.fields) if (key === 'upgrade') added += line(name, value)
  } else if (connection !== null) added += line('Connection', connection)
  return printHead(`HTTP/1.1 ${head.status} ${head.reason}`, passed, added, body)
}
