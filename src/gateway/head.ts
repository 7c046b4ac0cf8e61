/**
 * Message heads of HTTP/1.x (RFC 9112), parsed strictly: what two readers could read in two ways is refused, so that
 * nothing can be smuggled past the gateway or past the target behind it.
 *
 * Text here is latin1: one character is one byte, so bytes above 127 in field values survive unchanged.
 */

import { remembered } from './memo.ts'

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

/** A head that is not HTTP as the RFCs have it; `status` is what to answer. */
export class HeadFault extends Error {
  readonly status: 400 | 431 | 501 | 505
  constructor(status: 400 | 431 | 501 | 505, sentence: string) {
    super(sentence)
    this.status = status
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** By character code: 1 where a token may have it. Heads are half of what a request costs, and a table is quickest. */
const IN_TOKEN = Uint8Array.from({ length: 256 }, (_, code) =>
  TOKEN.test(String.fromCharCode(code)) ? 1 : 0,
)
const MOST_FIELDS = 500
const NOTHING: Buffer = Buffer.alloc(0)
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
  rest = NOTHING
  #held = NOTHING
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
    // Most heads come alone, and as one.
    if (end === this.#held.length) return this.#held
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

/** The lines of a head, the empty one left out. An LF alone ends a line too: `HeadCollector` has judged that. */
function splitLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end))
    start = end + 1
  }
  lines.pop()
  return lines
}

const isBlank = (code: number) => code === 32 || code === 9

/** Names as they are compared. The few that everybody uses are turned to lower case once. */
const keyOf = remembered(1000, (name) => name.toLowerCase())

function isToken(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (IN_TOKEN[text.charCodeAt(at)] !== 1) return false
  return text !== ''
}

/**
 * Visible characters, blanks and obs-text (RFC 9110 5.5) from `start` on, without the blanks around them; every control
 * character is refused, and other white space belongs to the value.
 */
function readValue(line: string, from: number): string {
  let start = from
  let end = line.length
  while (start < end && isBlank(line.charCodeAt(start))) start++
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--
  for (let at = start; at < end; at++) {
    const code = line.charCodeAt(at)
    if ((code < 32 && code !== 9) || code === 127)
      throw new HeadFault(400, 'a header value holds a control character')
  }
  return line.slice(start, end)
}

/** The fields of all lines but the first. */
function parseFields(lines: readonly string[]): Field[] {
  if (lines.length > MOST_FIELDS + 1) throw new HeadFault(431, `more than ${MOST_FIELDS} header fields`)
  const fields: Field[] = []
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (isBlank(line.charCodeAt(0))) throw new HeadFault(400, 'a header line is folded')
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    if (colon < 0 || !isToken(name)) throw new HeadFault(400, 'a header line has no proper name')
    fields.push({ name, key: keyOf(name), value: readValue(line, colon + 1) })
  }
  return fields
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
  const lines = splitLines(head.toString('latin1'))
  const [line = ''] = lines
  const match = /^([^ ]*) ([\x21-\x7e]+) ([^ ]*)$/.exec(line)
  const [, method = '', target = '', version = ''] = match ?? []
  if (!isToken(method)) throw new HeadFault(400, 'the request line is not "method target version"')
  const request = {
    method,
    target,
    version: parseVersion(version),
    fields: parseFields(lines),
    bytes: head.length,
  }
  let host: Field | null = null
  for (const field of request.fields) {
    if (field.key !== 'host') continue
    if (host !== null) throw new HeadFault(400, 'more than one Host')
    host = field
  }
  if (host === null && request.version === '1.1') throw new HeadFault(400, 'the Host is missing')
  if (host !== null && !/^[\w.\-:[\]%~!$&'()*+;=]*$/.test(host.value))
    throw new HeadFault(400, 'the Host is malformed')
  for (const option of connectionOptions(request.fields)) {
    if (NEVER_HOP_BY_HOP.has(option)) throw new HeadFault(400, `Connection names ${option}`)
  }
  return request
}

/** Parses a whole response head, as HeadCollector gives it (RFC 9112 4). */
export function parseResponseHead(head: Buffer): ResponseHead {
  const lines = splitLines(head.toString('latin1'))
  const [line = ''] = lines
  const match = /^HTTP\/1\.([01]) ([1-5][0-9][0-9])(?: ([\t\x20-\x7e\x80-\xff]*))?$/.exec(line)
  if (match === null) throw new HeadFault(400, 'the status line is malformed')
  return {
    version: match[1] === '1' ? '1.1' : '1.0',
    status: Number(match[2]),
    reason: match[3] ?? '',
    fields: parseFields(lines),
  }
}

const NO_ITEMS: readonly string[] = []

/** Values of a field that is a list, lower case. */
export function listOf(fields: readonly Field[], key: string): readonly string[] {
  let list: string[] | null = null
  for (const field of fields) {
    if (field.key !== key) continue
    for (const part of field.value.toLowerCase().split(',')) {
      const item = part.trim()
      if (item !== '') (list ??= []).push(item)
    }
  }
  return list ?? NO_ITEMS
}

/** The options of Connection and of its proxies' cousin, lower case. */
export function connectionOptions(fields: readonly Field[]): readonly string[] {
  const options = listOf(fields, 'connection')
  const cousins = listOf(fields, 'proxy-connection')
  return cousins.length === 0 ? options : [...options, ...cousins]
}

/** Puts a head on the wire again; `fields` are its lines, each with its end. With the body's first bytes it is one write. */
export function printHead(firstLine: string, fields: string, body?: Buffer): Buffer {
  const head = `${firstLine}\r\n${fields}\r\n`
  if (body === undefined) return Buffer.from(head, 'latin1')
  const whole = Buffer.allocUnsafe(head.length + body.length)
  whole.write(head, 0, 'latin1')
  body.copy(whole, head.length)
  return whole
}
