/**
 * Message heads of HTTP/1.x (RFC 9112), parsed strictly: what two readers could read in two ways is refused, so that
 * nothing can be smuggled past the gateway or past the target behind it.
 *
 * Text here is latin1: one character is one byte, so bytes above 127 in field values survive unchanged.
 */

export interface Field {
  /** As it was spelled. */
  name: string
  /** Lower case, for comparing. */
  key: string
  value: string
}

export interface RequestHead {
  method: string
  /** The request-target as it was sent. */
  target: string
  version: '1.0' | '1.1'
  fields: Field[]
  /** How many bytes the head took on the wire, the empty line included. */
  bytes: number
}

export interface ResponseHead {
  version: '1.0' | '1.1'
  status: number
  reason: string
  fields: Field[]
}

export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; length: number }
  | { kind: 'chunked' }
  | { kind: 'close' }

/** A head that is not HTTP as the RFCs have it; `status` is what to answer. */
export class HeadFault extends Error {
  readonly status: 400 | 431 | 501 | 505
  constructor(status: 400 | 431 | 501 | 505, sentence: string) {
    super(sentence)
    this.status = status
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// Visible characters, blanks and obs-text (RFC 9110 5.5); every other control character is refused.
// eslint-disable-next-line no-control-regex
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const BARE_LF = /[^\r]\n/
const MOST_FIELDS = 500
const CR = 13
const LF = 10

/** Fields a message cannot do without; naming one in Connection would strip it (RFC 9110 7.6.1). */
const NEVER_HOP_BY_HOP = new Set([
  'content-length',
  'transfer-encoding',
  'host',
  'cache-control',
  'authorization',
  'cookie',
  'content-type',
  'expect',
])

/**
 * Collects the bytes of one head however they arrive. `push` gives the whole head once its empty line has come,
 * and keeps what follows for the next reader in `rest`.
 */
export class HeadCollector {
  rest: Buffer = Buffer.alloc(0)
  #held: Buffer = Buffer.alloc(0)
  #scanned = 0
  readonly #limitBytes: number
  readonly #bareLf: boolean

  /** `bareLf`: lines may end in LF alone, as old servers still send; never for requests. */
  constructor(options: { limitBytes: number; bareLf: boolean }) {
    this.#limitBytes = options.limitBytes
    this.#bareLf = options.bareLf
  }

  /** True as soon as a byte of a head has come; empty lines before it do not count. */
  get begun(): boolean {
    return this.#held.length > 0
  }

  push(chunk: Buffer): Buffer | null {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    if (this.#scanned === 0) this.#skipEmptyLines()
    const end = this.#findEnd()
    if (end < 0) {
      if (this.#held.length > this.#limitBytes)
        throw new HeadFault(431, 'the head of the message is too long')
      return null
    }
    if (end > this.#limitBytes) throw new HeadFault(431, 'the head of the message is too long')
    this.rest = this.#held.subarray(end)
    return this.#held.subarray(0, end)
  }

  /** A client may send empty lines between requests (RFC 9112 2.2). */
  #skipEmptyLines(): void {
    let start = 0
    while (this.#held[start] === CR && this.#held[start + 1] === LF) start += 2
    if (start > 0) this.#held = this.#held.subarray(start)
  }

  /** The index behind the empty line, or -1; refuses bare line ends as soon as they are seen. */
  #findEnd(): number {
    const held = this.#held
    for (let at = held.indexOf(LF, this.#scanned); at >= 0; at = held.indexOf(LF, at + 1)) {
      const crlf = at > 0 && held[at - 1] === CR
      if (!crlf && !this.#bareLf) throw new HeadFault(400, 'a line ends in LF without CR')
      const lineEnd = crlf ? at - 1 : at
      if (lineEnd === 0 || held[lineEnd - 1] === LF) return at + 1
      this.#scanned = at + 1
    }
    return -1
  }
}

function splitLines(head: Buffer): string[] {
  const text = head.toString('latin1')
  // The empty line, and what split() leaves behind it.
  if (!BARE_LF.test(text)) return text.split('\r\n').slice(0, -2)
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  // The empty line and what split() leaves behind it.
  return lines.slice(0, -2)
}

const isBlank = (code: number) => code === 32 || code === 9

/** Without blanks around it; other white space belongs to the value. */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function parseFields(lines: string[]): Field[] {
  if (lines.length > MOST_FIELDS) throw new HeadFault(431, `more than ${MOST_FIELDS} header fields`)
  return lines.map((line) => {
    if (line.startsWith(' ') || line.startsWith('\t')) throw new HeadFault(400, 'a header line is folded')
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    if (colon < 0 || !TOKEN.test(name)) throw new HeadFault(400, 'a header line has no proper name')
    const value = line.slice(colon + 1)
    if (!VALUE.test(value)) throw new HeadFault(400, 'a header value holds a control character')
    return { name, key: name.toLowerCase(), value: trimmed(value) }
  })
}

function parseVersion(text: string): '1.0' | '1.1' {
  if (text === 'HTTP/1.1') return '1.1'
  if (text === 'HTTP/1.0') return '1.0'
  if (/^HTTP\/[0-9]\.[0-9]$/.test(text))
    throw new HeadFault(505, 'only HTTP/1.0 and HTTP/1.1 are spoken here')
  throw new HeadFault(400, 'the request line has no HTTP version')
}

/** Parses a whole request head, as HeadCollector gives it (RFC 9112 3). */
export function parseRequestHead(head: Buffer): RequestHead {
  const [line = '', ...rest] = splitLines(head)
  const parts = line.split(' ')
  const [method = '', target = '', version = ''] = parts
  if (parts.length !== 3 || !TOKEN.test(method) || !/^[\x21-\x7e]+$/.test(target)) {
    throw new HeadFault(400, 'the request line is not "method target version"')
  }
  const request = {
    method,
    target,
    version: parseVersion(version),
    fields: parseFields(rest),
    bytes: head.length,
  }
  const hosts = request.fields.filter((field) => field.key === 'host')
  if (hosts.length > 1) throw new HeadFault(400, 'more than one Host')
  if (hosts.length === 0 && request.version === '1.1') throw new HeadFault(400, 'the Host is missing')
  if (hosts[0] !== undefined && !/^[\w.\-:[\]%~!$&'()*+;=]*$/.test(hosts[0].value)) {
    throw new HeadFault(400, 'the Host is malformed')
  }
  for (const option of connectionOptions(request.fields)) {
    if (NEVER_HOP_BY_HOP.has(option)) throw new HeadFault(400, `Connection names ${option}`)
  }
  return request
}

/** Parses a whole response head, as HeadCollector gives it (RFC 9112 4). */
export function parseResponseHead(head: Buffer): ResponseHead {
  const [line = '', ...rest] = splitLines(head)
  const match = /^HTTP\/1\.([01]) ([1-5][0-9][0-9])(?: ([\t\x20-\x7e\x80-\xff]*))?$/.exec(line)
  if (match === null) throw new HeadFault(400, 'the status line is malformed')
  return {
    version: match[1] === '1' ? '1.1' : '1.0',
    status: Number(match[2]),
    reason: match[3] ?? '',
    fields: parseFields(rest),
  }
}

/** Values of a field that is a list, lower case. */
export function listOf(fields: readonly Field[], key: string): string[] {
  const list: string[] = []
  for (const field of fields) {
    if (field.key !== key) continue
    for (const part of field.value.toLowerCase().split(',')) {
      const item = part.trim()
      if (item !== '') list.push(item)
    }
  }
  return list
}

/** The options of Connection and of its proxies' cousin, lower case. */
export function connectionOptions(fields: readonly Field[]): string[] {
  const options = listOf(fields, 'connection')
  options.push(...listOf(fields, 'proxy-connection'))
  return options
}

function contentLength(text: string): number {
  // 15 digits are a petabyte and exact in a number; more is no length but an attempt to overflow one.
  if (!/^[0-9]{1,15}$/.test(text)) throw new HeadFault(400, 'Content-Length is not a number')
  return Number(text)
}

/** How a request's body ends (RFC 9112 6.3); everything ambiguous is refused. */
export function requestFraming(head: RequestHead): Framing {
  const codings = head.fields.filter((field) => field.key === 'transfer-encoding')
  const lengths = head.fields.filter((field) => field.key === 'content-length')
  if (codings.length > 0) {
    if (head.version === '1.0') throw new HeadFault(400, 'Transfer-Encoding in an HTTP/1.0 request')
    if (lengths.length > 0) throw new HeadFault(400, 'both Transfer-Encoding and Content-Length')
    if (codings.length > 1 || codings[0]?.value.toLowerCase() !== 'chunked') {
      throw new HeadFault(501, 'the only transfer coding understood here is "chunked"')
    }
    return { kind: 'chunked' }
  }
  if (lengths.length > 1) throw new HeadFault(400, 'more than one Content-Length')
  const length = lengths[0] === undefined ? 0 : contentLength(lengths[0].value)
  return length === 0 ? { kind: 'none' } : { kind: 'length', length }
}

/** How a response's body ends (RFC 9112 6.3). */
export function responseFraming(head: ResponseHead, requestMethod: string): Framing {
  if (requestMethod === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304) {
    return { kind: 'none' }
  }
  const codings = listOf(head.fields, 'transfer-encoding')
  if (codings.length > 0) {
    if (head.version === '1.0') throw new HeadFault(400, 'Transfer-Encoding in an HTTP/1.0 response')
    if (codings.indexOf('chunked') < codings.length - 1 && codings.includes('chunked')) {
      throw new HeadFault(400, '"chunked" is not the last transfer coding')
    }
    return codings.at(-1) === 'chunked' ? { kind: 'chunked' } : { kind: 'close' }
  }
  const lengths = new Set(listOf(head.fields, 'content-length'))
  if (lengths.size > 1) throw new HeadFault(400, 'contradicting Content-Length')
  const [length] = lengths
  if (length === undefined) return { kind: 'close' }
  const bytes = contentLength(length)
  return bytes === 0 ? { kind: 'none' } : { kind: 'length', length: bytes }
}

/** Puts a head on the wire again. */
export function printHead(firstLine: string, fields: readonly { name: string; value: string }[]): Buffer {
  let text = `${firstLine}\r\n`
  for (const field of fields) text += `${field.name}: ${field.value}\r\n`
  return Buffer.from(`${text}\r\n`, 'latin1')
}
