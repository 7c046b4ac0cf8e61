/**
 * A strict HTTP/1.1 parser, independent of the gateway's, with which tests judge what the gateway receives
 * and sends. It accepts the canonical spelling only (RFC 9112), so that no other parser can read an accepted
 * message differently.
 */

export interface Message {
  first: string
  fields: [name: string, value: string][]
  body: string
  /** False: the text ends within the message. */
  complete: boolean
}

const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\t\x20-\x7e\x80-\xff]*)$/

/** The values of a field. */
export const valuesOf = ({ fields }: Pick<Message, 'fields'>, wanted: string): string[] =>
  fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)

function readHead(text: string): Pick<Message, 'first' | 'fields'> {
  const [first = '', ...lines] = text.split('\r\n')
  if (/[\r\n\0]/.test(text.replaceAll('\r\n', '')))
    throw new Error(`a bare CR or LF: ${JSON.stringify(text)}`)
  const fields = lines.map((line): [string, string] => {
    const match = FIELD.exec(line)
    if (match === null) throw new Error(`no canonical field: ${JSON.stringify(line)}`)
    return [match[1] ?? '', match[2] ?? '']
  })
  return { first, fields }
}

function readChunks(text: string): { body: string; used: number; complete: boolean } {
  let body = ''
  for (let at = 0; ;) {
    const size = /^([0-9a-f]{1,8})\r\n/i.exec(text.slice(at))
    if (size === null) {
      if (/^(?:[0-9a-f]{0,8}|[0-9a-f]{1,8}\r)$/i.test(text.slice(at)))
        return { body, used: at, complete: false }
      throw new Error(`no chunk size: ${JSON.stringify(text.slice(at, at + 20))}`)
    }
    const start = at + size[0].length
    const length = Number.parseInt(size[1] ?? '', 16)
    const end = text.slice(start + length, start + length + 2)
    body += text.slice(start, start + length)
    if (!'\r\n'.startsWith(end)) throw new Error('a chunk is longer than its size')
    if (end !== '\r\n') return { body, used: text.length, complete: false }
    at = start + length + 2
    if (length === 0) return { body, used: at, complete: true }
  }
}

/** Reads one message; null: its head is not complete. `method`: of the request that a response answers. */
function readMessage(text: string, method: string | null): { message: Message; used: number } | null {
  const cut = text.indexOf('\r\n\r\n')
  if (cut < 0) return null
  const head = readHead(text.slice(0, cut))
  const after = text.slice(cut + 4)
  const lengths = valuesOf(head, 'content-length')
  const codings = valuesOf(head, 'transfer-encoding')
  if (lengths.length + codings.length > 1) throw new Error('more than one framing field')
  const done = (body: string, used: number, complete: boolean) => ({
    message: { ...head, body, complete },
    used: cut + 4 + used,
  })
  const status = method === null ? null : Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(head.first)?.[1])
  if (Number.isNaN(status)) throw new Error(`no status line: ${head.first}`)
  if (method === null && !/^[A-Z]+ [\x21-\x7e]+ HTTP\/1\.1$/.test(head.first))
    throw new Error(`no request line: ${head.first}`)
  if (method === 'HEAD' || status === 204 || status === 304) return done('', 0, true)
  const [length] = lengths
  if (length !== undefined) {
    if (!/^(?:0|[1-9]\d{0,14})$/.test(length)) throw new Error(`no canonical Content-Length: "${length}"`)
    const body = after.slice(0, Number(length))
    return done(body, body.length, body.length === Number(length))
  }
  const [coding] = codings
  if (coding !== undefined && !/^[a-z]+(?:, [a-z]+)*$/.test(coding))
    throw new Error(`no canonical Transfer-Encoding: "${coding}"`)
  if (coding?.endsWith('chunked') === true) {
    const { body, used, complete } = readChunks(after)
    return done(body, used, complete)
  }
  if (method !== null) return done(after, after.length, true)
  if (coding !== undefined) throw new Error('a request with a transfer coding but chunked')
  return done('', 0, true)
}

/**
 * All messages of a connection, and the bytes left after them. `methods`: the methods of the requests that
 * the responses answer.
 */
export function readMessages(
  text: string,
  methods: readonly string[] | null,
): { messages: Message[]; rest: string } {
  const messages: Message[] = []
  for (let rest = text; ;) {
    const method = methods === null ? null : (methods[messages.length] ?? 'GET')
    const read = rest === '' ? null : readMessage(rest, method)
    if (read === null) return { messages, rest }
    messages.push(read.message)
    rest = rest.slice(read.used)
    if (!read.message.complete) return { messages, rest }
  }
}

export interface Received {
  /** Header lines, without line ends. */
  lines: readonly string[]
  version: '1.0' | '1.1' | '1.2'
}

export type Verdict = 'fault' | 'none' | 'close' | 'chunked' | number

/** The items of a list field on all of its lines; null: there is no such line. */
function items(lines: readonly string[], name: string): string[] | null {
  const own = lines.flatMap((line) => {
    const [, spelled = '', value = ''] = /^([^:]*):(.*)$/s.exec(line) ?? []
    return spelled.replace(/[ \t]+$/, '').toLowerCase() === name ? [value] : []
  })
  return own.length === 0
    ? null
    : own
        .join(',')
        .split(',')
        .map((item) => item.replace(/^[ \t]+|[ \t]+$/g, ''))
}

/** How the body of a request ends (RFC 9112 6.3); a fault wherever the RFC leaves recipients a choice. */
export function requestVerdict({ lines, version }: Received): Verdict {
  if (lines.some((line) => /^[^:]*[ \t]:/.test(line))) return 'fault'
  const codings = items(lines, 'transfer-encoding')
  const lengths = items(lines, 'content-length')
  if (codings !== null) {
    if (version === '1.0' || lengths !== null) return 'fault'
    return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked' ? 'chunked' : 'fault'
  }
  if (lengths === null) return 'none'
  return lengths.length === 1 && /^\d{1,15}$/.test(lengths[0] ?? '') ? Number(lengths[0]) : 'fault'
}

/** How the body of a response ends (RFC 9112 6.3); empty items of a list are ignored (RFC 9110 5.6.1.2). */
export function responseVerdict({ lines, version }: Received, status: number, method: string): Verdict {
  if (method === 'HEAD' || status === 204 || status === 304) return 'none'
  const codings = items(lines, 'transfer-encoding')
  if (codings !== null) {
    const named = codings.filter((item) => item !== '').map((item) => item.toLowerCase())
    if (version === '1.0' || named.length === 0 || named.some((item) => !/^[a-z]+$/.test(item)))
      return 'fault'
    const at = named.indexOf('chunked')
    if (at >= 0 && at < named.length - 1) return 'fault'
    return at < 0 ? 'close' : 'chunked'
  }
  const lengths = items(lines, 'content-length')
  if (lengths === null) return 'close'
  const named = new Set(lengths.filter((item) => item !== ''))
  const [length = ''] = named
  return named.size === 1 && /^\d{1,15}$/.test(length) ? Number(length) : 'fault'
}
