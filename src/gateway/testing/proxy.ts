/** Another proxy as an exit, which answers as the test specifies. */

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** A request that the proxy received. */
export interface SeenLink {
  username: string | null
  password: string | null
  /** A name or an address, as requested. */
  host: string
  port: number
  /** The first line of a request that was not CONNECT. */
  line: string
  fields: string[]
}

/**
 * `connect`: open the tunnel. `hang`: do not answer. `close`: close the connection. Else the bytes of the
 * answer.
 */
export type Answer = 'connect' | 'hang' | 'close' | Buffer

export interface UpstreamOptions {
  kind: 'http' | 'socks5'
  /** The answer to a request; default: `connect`. */
  answer?: (seen: SeenLink) => Answer
  /** Whether credentials are right; missing: none are required. */
  login?: (username: string, password: string) => boolean
  tls?: TlsOptions
  /** Sends its own messages byte by byte. */
  drips?: boolean
  /** Bytes sent together with a granting answer. */
  early?: Buffer
  /** SOCKS5: the handling of bytes that arrive early; default: `read`. */
  ahead?: () => 'read' | 'drop' | 'reset'
}

export interface FakeUpstream {
  port: number
  seen: SeenLink[]
  /** Connections accepted so far. */
  made(): number
  open(): number
  answer: (seen: SeenLink) => Answer
  /**
   * HTTP: what to do with a request on the connection of this number, from 1; `own`: nothing, the test
   * answers.
   */
  take: (socket: Socket, nr: number) => 'answer' | 'own'
  close(): Promise<void>
}

/** Reads a socket by lengths and lines. */
class Bytes {
  #held: Buffer = Buffer.alloc(0)
  #wake: () => void = () => undefined
  #ended = false
  readonly #socket: Socket
  readonly #onData = (chunk: Buffer) => {
    this.#held = Buffer.concat([this.#held, chunk])
    this.#wake()
  }

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', this.#onData)
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.#ended = true
        this.#wake()
      })
  }

  async take(bytes: number): Promise<Buffer> {
    await this.#until(() => this.#held.length >= bytes)
    const taken = this.#held.subarray(0, bytes)
    this.#held = this.#held.subarray(bytes)
    return taken
  }

  async head(): Promise<string> {
    await this.#until(() => this.#held.includes('\r\n\r\n'))
    return (await this.take(this.#held.indexOf('\r\n\r\n') + 4)).toString('latin1')
  }

  /** Drops the bytes received so far. */
  drop(): boolean {
    const had = this.#held.length > 0
    this.#held = Buffer.alloc(0)
    return had
  }

  rest(): Buffer {
    this.#socket.off('data', this.#onData)
    return this.#held
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#ended) throw new Error('the connection ended')
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

async function say(socket: Socket, bytes: Buffer, drips: boolean): Promise<void> {
  if (!drips) return void socket.write(bytes)
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Connects to this machine, whatever the requested name. */
function join(socket: Socket, bytes: Bytes, port: number, granted: Buffer, drips: boolean): void {
  const onward = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  onward.on('error', () => socket.destroy())
  socket.on('close', () => onward.destroy())
  onward.once('connect', () => {
    void say(socket, granted, drips).then(() => {
      onward.write(bytes.rest())
      socket.pipe(onward)
      onward.pipe(socket)
    })
  })
}

async function serveHttp(socket: Socket, options: UpstreamOptions, upstream: FakeUpstream): Promise<void> {
  const { login, drips = false, early = Buffer.alloc(0) } = options
  const nr = upstream.made()
  const bytes = new Bytes(socket)
  const [line = '', ...fields] = (await bytes.head()).trimEnd().split('\r\n')
  if (upstream.take(socket, nr) === 'own') return
  const given = /^proxy-authorization: basic (\S+)/im.exec(fields.join('\n'))?.[1]
  const [, username = null, password = null] =
    given === undefined ? [] : (/^([^:]*):(.*)$/.exec(Buffer.from(given, 'base64').toString()) ?? [])
  const [, host = '', port = ''] = /^\S+ (?:http:\/\/)?(\[[^\]]*\]|[^:/ ]+):?(\d*)/.exec(line) ?? []
  const seen = { username, password, host, port: Number(port || 80), line, fields }
  upstream.seen.push(seen)
  if (login !== undefined && (username === null || !login(username, password ?? ''))) {
    const refusal =
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n'
    return void socket.end(refusal)
  }
  const answer = upstream.answer(seen)
  if (answer === 'hang') return void socket.on('end', () => socket.destroy())
  if (answer === 'close') return void socket.end()
  if (typeof answer !== 'string') return await say(socket, answer, drips)
  const granted = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), early])
  join(socket, bytes, seen.port, granted, drips)
}

async function serveSocks(socket: Socket, options: UpstreamOptions, upstream: FakeUpstream): Promise<void> {
  const { login, drips = false, early = Buffer.alloc(0), ahead = () => 'read' } = options
  const bytes = new Bytes(socket)
  const [, count = 0] = await bytes.take(2)
  const methods = await bytes.take(count)
  const treatment = ahead()
  if (treatment !== 'read' && bytes.drop() && treatment === 'reset') return void socket.resetAndDestroy()
  const method = login === undefined ? 0 : 2
  if (!methods.includes(method)) return void socket.end(Buffer.from([5, 255]))
  await say(socket, Buffer.from([5, method]), drips)
  let username: string | null = null
  let password: string | null = null
  if (login !== undefined) {
    const [, nameLength = 0] = await bytes.take(2)
    username = (await bytes.take(nameLength)).toString()
    password = (await bytes.take((await bytes.take(1))[0] ?? 0)).toString()
    const right = login(username, password)
    await say(socket, Buffer.from([1, right ? 0 : 1]), drips)
    if (!right) return void socket.end()
  }
  const [, , , type = 0] = await bytes.take(4)
  const length = type === 1 ? 4 : type === 4 ? 16 : ((await bytes.take(1))[0] ?? 0)
  const address = await bytes.take(length)
  const host =
    type === 3 ? address.toString('latin1') : type === 1 ? address.join('.') : address.toString('hex')
  const port = (await bytes.take(2)).readUInt16BE()
  const seen = { username, password, host, port, line: '', fields: [] }
  upstream.seen.push(seen)
  const answer = upstream.answer(seen)
  if (answer === 'hang') return void socket.on('end', () => socket.destroy())
  if (answer === 'close') return void socket.end()
  if (typeof answer !== 'string') return await say(socket, answer, drips)
  // A reply with a name, the longest of the three address types.
  const granted = Buffer.concat([
    Buffer.from([5, 0, 0, 3, 4]),
    Buffer.from('exit'),
    Buffer.from([0, 80]),
    early,
  ])
  join(socket, bytes, port, granted, drips)
}

/** Starts the proxy on loopback. */
export async function startUpstream(options: UpstreamOptions): Promise<FakeUpstream> {
  const sockets = new Set<Socket>()
  let made = 0
  const track = (socket: Socket) => {
    made++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  const serve = (socket: Socket) => {
    socket.on('error', () => undefined)
    const served = options.kind === 'http' ? serveHttp : serveSocks
    served(socket, options, upstream).catch(() => socket.destroy())
  }
  const server =
    options.tls === undefined
      ? createServer({ allowHalfOpen: true }, serve)
      : createTlsServer({ ...options.tls, allowHalfOpen: true }, serve)
  // Before TLS, so that connections with a failed handshake are counted too.
  server.on('connection', track)
  server.on('tlsClientError', (_fault, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))
  const upstream: FakeUpstream = {
    port: (server.address() as AddressInfo).port,
    seen: [],
    made: () => made,
    open: () => sockets.size,
    answer: options.answer ?? (() => 'connect'),
    take: () => 'answer',
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return upstream
}

/** A response of an HTTP proxy. */
export const httpAnswer = (status: string, fields: string[] = []) =>
  Buffer.from([`HTTP/1.1 ${status}`, ...fields, 'Content-Length: 0', '', ''].join('\r\n'))

/** A reply of a SOCKS5 proxy. */
export const socksReply = (reply: number) => Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0])
