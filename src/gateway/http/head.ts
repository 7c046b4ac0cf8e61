/**
 * Message heads of HTTP/1.x (RFC 9112), parsed strictly: whatever two parsers could read in two ways is
 * refused, so that nothing can be smuggled past the gateway or past the target behind it.
 *
 * Texts are latin1: one character is one byte, so bytes above 127 in field values pass unchanged.
 */

import { memoized } from '#lib/memo'

export interface Field {
  /** As the sender spelled it. */
  name: string
  /** The name in lower case, for comparison. */
  key: string
  value: string
  /** The whole line as received, without its end. */
  line: string
}

type Fields = readonly Field[]

interface Head {
  version: '1.0' | '1.1'
  fields: Fields
  /** The whole head as received. */
  text: string
  /** Its first line, without the line's end. */
  line: string
  /** The fields after the first line. */
  rest: string
  /** How many bytes the head took on the wire, the empty line included. */
  bytes: number
}

export interface RequestHead extends Head {
  method: string
  /** The request-target as it was sent. */
  target: string
}

export interface ResponseHead extends Head {
  status: number
  reason: string
}

/** A head that violates the RFCs; `status` is the response it gets. */
export class HeadFault extends Error {
  readonly status: 400 | 414 | 431 | 501 | 505
  constructor(status: HeadFault['status'], sentence: string) {
    super(sentence)
    this.status = status
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/**
 * By character code: 1 where a token may contain it. Parsing heads is half the cost of a request; a table is
 * fastest.
 */
const IN_TOKEN = Uint8Array.from({ length: 256 }, (_, code) =>
  TOKEN.test(String.fromCharCode(code)) ? 1 : 0,
)
const MOST_FIELDS = 500
const NO_FIELDS: Fields = []
const LF = 10
const CR = 13
const SPACE = 32

/** Fields that a message depends on; naming one in Connection would remove it (RFC 9110 7.6.1). */
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
 * A line that ends before the LF at `end`. A bare LF is accepted here: `HeadCollector` has already refused it
 * where it is not allowed.
 */
function lineOf(text: string, start: number, end: number): string {
  return text.slice(start, end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end)
}

/** A head's first line, without its end, and what follows it. */
function cutHead(text: string): Pick<Head, 'line' | 'rest'> {
  const end = text.indexOf('\n')
  return { line: lineOf(text, 0, end), rest: text.slice(end + 1) }
}

/** The lines after the first one, without the empty one at the end. */
function splitLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    lines.push(lineOf(text, start, end))
    start = end + 1
  }
  lines.pop()
  return lines
}

const isBlank = (code: number) => code === 32 || code === 9

const keyOf = memoized(1000, (name) => name.toLowerCase())

function isToken(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (IN_TOKEN[text.charCodeAt(at)] !== 1) return false
  return text !== ''
}

/**
 * The text from `from` on, without the spaces and tabs around it. Nothing else is white space in HTTP (RFC
 * 9110 5.6.3), unlike in `trim`.
 */
function withoutBlanks(text: string, from = 0): string {
  let start = from
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** The value of a field (RFC 9110 5.5); control characters are refused. */
function readValue(line: string, from: number): string {
  const value = withoutBlanks(line, from)
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if ((code < 32 && code !== 9) || code === 127)
      throw new HeadFault(400, 'a header value holds a control character')
  }
  return value
}

/**
 * A longer head is not kept for comparison: each line shared with a later head would keep all of its memory.
 */
const LONGEST_KEPT_BYTES = 2048

/** The head for comparison with the next one of its connection; null when it is too long to be kept. */
export function headToKeep<T extends { bytes: number }>(head: T): T | null {
  return head.bytes > LONGEST_KEPT_BYTES ? null : head
}

/**
 * `blankBeforeColon`: such a blank is removed (RFC 9112 5.1), as in a response; in a request it is refused.
 */
function parseField(line: string, blankBeforeColon: boolean): Field {
  if (isBlank(line.charCodeAt(0))) throw new HeadFault(400, 'a header line is folded')
  const colon = line.indexOf(':')
  let name = colon < 0 ? line : line.slice(0, colon)
  if (blankBeforeColon && isBlank(name.charCodeAt(name.length - 1))) name = withoutBlanks(name)
  if (colon < 0 || !isToken(name)) throw new HeadFault(400, 'a header line has no proper name')
  return { name, key: keyOf(name), value: readValue(line, colon + 1), line }
}

/**
 * The fields of a head. Peers repeat most of them with each message, so a line that is at the same position
 * in the `known` head is not parsed again; when all are, the result is the array of fields of that head.
 */
function parseFields(rest: string, known: Head | null, blankBeforeColon: boolean): Fields {
  if (known !== null && known.rest === rest) return known.fields
  const lines = splitLines(rest)
  if (lines.length > MOST_FIELDS) throw new HeadFault(431, `more than ${MOST_FIELDS} header fields`)
  const before = known?.fields ?? NO_FIELDS
  return lines.map((line, index) => {
    const field = before[index]
    return field?.line === line ? field : parseField(line, blankBeforeColon)
  })
}

function parseVersion(text: string): '1.0' | '1.1' {
  if (text === 'HTTP/1.1') return '1.1'
  if (text === 'HTTP/1.0') return '1.0'
  // A higher minor version is read as the highest that is understood (RFC 9110 2.5).
  if (/^HTTP\/1\.[2-9]$/.test(text)) return '1.1'
  if (/^HTTP\/[0-9]\.[0-9]$/.test(text))
    throw new HeadFault(505, 'only HTTP/1.0 and HTTP/1.1 are spoken here')
  throw new HeadFault(400, 'the request line has no HTTP version')
}

/**
 * Bytes above ASCII are no part of a URI, but many clients send them: `readAbsoluteForm` percent-encodes
 * them.
 */
function isVisible(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 33 || code === 127) return false
  }
  return text !== ''
}

/** Registered methods have up to 17 characters, and others are forwarded as well. */
const LONGEST_METHOD = 32

const methodTooLong = () => new HeadFault(501, 'the method is longer than any that is known')

/**
 * The fault of a head of which this many bytes were received without its end: the first line when that is too
 * long (RFC 9112 3), otherwise the fields.
 */
export function headTooLong(bytes: Buffer): HeadFault {
  if (bytes.includes(LF)) return new HeadFault(431, 'the head of the message is too long')
  if (!bytes.includes(SPACE)) return methodTooLong()
  return new HeadFault(414, 'the target of the request is too long')
}

function parseRequestLine(line: string): Pick<RequestHead, 'method' | 'target' | 'version'> {
  const end = line.indexOf(' ')
  const last = line.lastIndexOf(' ')
  const method = line.slice(0, Math.max(0, end))
  const target = line.slice(end + 1, last)
  if (!isToken(method) || !isVisible(target))
    throw new HeadFault(400, 'the request line is not "method target version"')
  if (method.length > LONGEST_METHOD) throw methodTooLong()
  return { method, target, version: parseVersion(line.slice(last + 1)) }
}

/**
 * Parses a complete request head (RFC 9112 3). `known` is the last one of the same connection: its array of
 * fields is returned when the fields are the same, and `known` itself when the whole head is.
 */
export function parseRequestHead(head: Buffer, known: RequestHead | null = null): RequestHead {
  const text = head.toString('latin1')
  if (known?.text === text) return known
  const { line, rest } = cutHead(text)
  const { method, target, version } = known?.line === line ? known : parseRequestLine(line)
  const fields = parseFields(rest, known, false)
  const needsHost = version === '1.1' && method !== 'CONNECT'
  if (known?.fields !== fields || (needsHost && !hasHost(fields))) judgeFields(fields, needsHost)
  return { method, target, version, fields, text, line, rest, bytes: head.length }
}

const hasHost = (fields: Fields) => fields.some((field) => field.key === 'host')

/**
 * Refuses fields that could be read in two ways. A CONNECT without Host is accepted, as many clients send it:
 * its authority is in the request line alone.
 */
function judgeFields(fields: Fields, needsHost: boolean): void {
  let host: Field | null = null
  for (const field of fields) {
    if (field.key !== 'host') continue
    if (host !== null) throw new HeadFault(400, 'more than one Host')
    host = field
  }
  if (host === null && needsHost) throw new HeadFault(400, 'the Host is missing')
  if (host !== null && !/^[\w.\-:[\]%~!$&'()*+;=]*$/.test(host.value))
    throw new HeadFault(400, 'the Host is malformed')
  for (const option of connectionOptions(fields)) {
    if (NEVER_HOP_BY_HOP.has(option)) throw new HeadFault(400, `Connection names ${option}`)
  }
}

function parseStatusLine(line: string): Pick<ResponseHead, 'version' | 'status' | 'reason'> {
  const match = /^HTTP\/1\.([0-9]) ([1-5][0-9][0-9])(?: ([\t\x20-\x7e\x80-\xff]*))?$/.exec(line)
  if (match === null) throw new HeadFault(400, 'the status line is malformed')
  // A higher minor version is read as the highest that is understood (RFC 9110 2.5).
  return { version: match[1] === '0' ? '1.0' : '1.1', status: Number(match[2]), reason: match[3] ?? '' }
}

/** Parses a complete response head (RFC 9112 4); `known` as with a request. */
export function parseResponseHead(head: Buffer, known: ResponseHead | null = null): ResponseHead {
  const text = head.toString('latin1')
  if (known?.text === text) return known
  const { line, rest } = cutHead(text)
  const { version, status, reason } = known?.line === line ? known : parseStatusLine(line)
  const fields = parseFields(rest, known, true)
  return { version, status, reason, fields, text, line, rest, bytes: head.length }
}

const NO_ITEMS: readonly string[] = []

/** The items of a field's value that is a list, empty ones included. */
export function itemsOf(value: string): string[] {
  return value.includes(',') ? value.split(',').map((item) => withoutBlanks(item)) : [value]
}

/** The items of a field that is a list, in lower case, without empty ones. */
export function listOf(fields: readonly Field[], key: string): readonly string[] {
  let list: string[] | null = null
  for (const field of fields) {
    if (field.key !== key) continue
    for (const item of itemsOf(field.value.toLowerCase())) if (item !== '') (list ??= []).push(item)
  }
  return list ?? NO_ITEMS
}

/** The options of Connection and of the non-standard Proxy-Connection, in lower case. */
export function connectionOptions(fields: readonly Field[]): readonly string[] {
  const options = listOf(fields, 'connection')
  const proxyOptions = listOf(fields, 'proxy-connection')
  return proxyOptions.length === 0 ? options : [...options, ...proxyOptions]
}

/**
 * A head as bytes: its first line, `fields` and `more` fields, each with its line end, and the first bytes of
 * the body, so that both are one write. The parts are copied separately: joining the texts first would cost a
 * copy more.
 */
export function printHead(firstLine: string, fields: string, more: string, body?: Buffer): Buffer {
  const [start, end] = [`${firstLine}\r\n`, `${more}\r\n`]
  const length = start.length + fields.length + end.length
  const whole = Buffer.allocUnsafe(body === undefined ? length : length + body.length)
  whole.write(start, 0, 'latin1')
  whole.write(fields, start.length, 'latin1')
  whole.write(end, start.length + fields.length, 'latin1')
  body?.copy(whole, length)
  return whole
}
