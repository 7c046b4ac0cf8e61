/** How heads change on their way through a forward proxy (RFC 9110 7.6, RFC 9112 3.2): pure. */

import type { Targeting } from '#proxies/grammar'
import type { Credentials } from './credentials.ts'
import { connectionOptions, printHead, type Field, type RequestHead, type ResponseHead } from './head.ts'
import { parseAuthority, printTarget, type Target } from './target.ts'
import { type Applied, ProxyRefusal, proxyStatus, SOCKS_REPLY } from './refuse.ts'

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'te', 'upgrade'])

function endToEnd(fields: Field[]): Field[] {
  const named = new Set(connectionOptions(fields))
  return fields.filter(
    ({ key }) =>
      !HOP_BY_HOP.has(key) &&
      // What a proxy is told is never the target's business, and what a target says to proxies not the client's.
      (!key.startsWith('proxy-') || key === 'proxy-status') &&
      // Framing is not an option of a connection, whatever a peer claims.
      (!named.has(key) || key === 'content-length' || key === 'transfer-encoding'),
  )
}

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

/** The request's head as the target gets it: order, case and repetitions of fields kept. */
export function rewriteRequest(
  head: RequestHead,
  forwarding: Forwarding,
  options: {
    upgrade: boolean
    forwardedFor: string | null
    /** Set when it goes to a proxy that forwards it: what that is shown, or null for nothing. */
    forwards?: { authorization: string | null } | null
  },
): Buffer {
  const hops = hopsLeft(head)
  const authority = options.forwards == null ? forwarding.authority : plainAuthority(forwarding)
  const fields = endToEnd(head.fields).map((field) => {
    if (field.key === 'host') return { ...field, value: authority }
    return field.key === 'max-forwards' && hops !== null ? { ...field, value: String(hops - 1) } : field
  })
  const added: { name: string; value: string }[] = []
  if (!fields.some((field) => field.key === 'host')) {
    fields.unshift({ name: 'Host', key: 'host', value: authority })
  }
  if (options.upgrade) {
    added.push({ name: 'Connection', value: 'Upgrade' }, { name: 'Upgrade', value: 'websocket' })
  }
  if (options.forwardedFor !== null) {
    added.push({ name: 'Via', value: `${head.version} turnpike` })
    added.push({ name: 'X-Forwarded-For', value: options.forwardedFor })
  }
  const { forwards } = options
  if (forwards == null) return printHead(`${head.method} ${forwarding.path} HTTP/1.1`, [...fields, ...added])
  if (forwards.authorization !== null)
    added.push({ name: 'Proxy-Authorization', value: forwards.authorization })
  // The asterisk form is for servers; a proxy is told by an empty path (RFC 9112 3.2.4).
  const path = forwarding.path === '*' ? '' : forwarding.path
  const whole = `http://${authority}${path}`
  return printHead(`${head.method} ${whole} HTTP/1.1`, [...fields, ...added])
}

/**
 * How an answer says which way it came (RFC 9209 section 2: every proxy adds itself behind those before it). A request
 * id that the target has given is the target's: ours stands in our member of Proxy-Status alone then.
 */
function signature(head: ResponseHead, applied: Applied): { name: string; value: string }[] {
  const status = { name: 'Proxy-Status', value: proxyStatus(applied) }
  if (head.fields.some((field) => field.key === 'x-request-id')) return [status]
  return [status, { name: 'X-Request-Id', value: applied.requestId }]
}

/** The response's head as the client gets it. */
export function rewriteResponse(
  head: ResponseHead,
  options: {
    connection: 'close' | 'keep-alive' | 'upgrade' | null
    dropFraming: 'length' | 'coding' | null
    /** Null: an interim answer, which is passed on unsigned. */
    applied: Applied | null
  },
): Buffer {
  let lengths = 0
  const fields: { name: string; value: string }[] = endToEnd(head.fields)
    .filter(({ key }) => {
      if (key === 'content-length') return options.dropFraming !== 'length' && ++lengths === 1
      return key !== 'transfer-encoding' || options.dropFraming !== 'coding'
    })
    .map((field) =>
      field.key === 'content-length' ? { ...field, value: (field.value.split(',')[0] ?? '').trim() } : field,
    )
  if (options.applied !== null) fields.push(...signature(head, options.applied))
  if (options.connection === 'upgrade') {
    fields.push({ name: 'Connection', value: 'Upgrade' })
    for (const field of head.fields) if (field.key === 'upgrade') fields.push(field)
  } else if (options.connection !== null) {
    fields.push({ name: 'Connection', value: options.connection })
  }
  return printHead(`HTTP/1.1 ${head.status} ${head.reason}`, fields)
}

const texts = new WeakMap<Credentials, string>()

function whoOf(credentials: Credentials): string {
  let text = texts.get(credentials)
  if (text === undefined) {
    text = `${credentials.username} ${credentials.digest.toString('hex')}`
    texts.set(credentials, text)
  }
  return text
}

/** What a kept connection to a target may be used for again: the same target by the same line. */
export function reuseKey(
  target: Target,
  line: { credentials: Credentials | null; account: { id: bigint }; targeting: Targeting },
): string {
  const { credentials, account, targeting } = line
  // Without credentials the settings are those of the port, and may have been made anew since.
  const who = credentials === null ? `${account.id} ${JSON.stringify(targeting)}` : whoOf(credentials)
  return `${printTarget(target)} ${who}`
}
