/** A client that sends bytes and reads answers one by one, and a target with answers set by the test. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { basic } from '../../src/gateway/testing/bench.ts'
import { RawClient } from '../../src/gateway/testing/client.ts'
import type { Line, Way } from './ways.ts'

export interface Answer {
  status: number
  /** The whole head as text, one character per byte. */
  head: string
  body: string
  /** Whether the body reached the end that its head announced. */
  complete: boolean
}

/** The values of a field, as spelled. */
export function fieldsOf(head: string, name: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    .map((line) => line.slice(name.length + 1).trim())
}

/** The body of chunks at the start of a text, and the length it occupies; null while it is incomplete. */
function readChunks(text: string): { body: string; used: number } | null {
  let body = ''
  for (let at = 0; ;) {
    const line = text.indexOf('\r\n', at)
    if (line < 0) return null
    const size = Number.parseInt(text.slice(at, line), 16)
    const next = line + 2 + size + 2
    if (text.length < next) return null
    if (size === 0) return { body, used: next }
    body += text.slice(line + 2, line + 2 + size)
    at = next
  }
}

export class Talk {
  readonly client: RawClient
  readonly line: Line
  #read = 0

  constructor(line: Line) {
    this.line = line
    this.client = new RawClient(line.socket)
  }

  say(text: string | Buffer): void {
    this.client.write(text)
  }

  /** The bytes after the last answer that was read. */
  get rest(): string {
    return this.client.text.slice(this.#read)
  }

  get over(): boolean {
    return this.client.ended || this.client.closed
  }

  /** The next answer, to a request of this method. */
  async answer(method = 'GET'): Promise<Answer> {
    await this.client.until(() => this.rest.includes('\r\n\r\n') || this.over, 'the head of an answer')
    const cut = this.rest.indexOf('\r\n\r\n') + 4
    if (cut < 4) throw new Error(`the connection ended with ${JSON.stringify(this.rest)}`)
    const head = this.rest.slice(0, cut)
    this.#read += cut
    const status = Number(head.slice(9, 12))
    const length = fieldsOf(head, 'Content-Length')[0]
    const chunked = fieldsOf(head, 'Transfer-Encoding').at(-1)?.toLowerCase().endsWith('chunked') === true
    const bodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304
    if (bodiless || (method === 'CONNECT' && status < 300)) return { status, head, body: '', complete: true }
    if (chunked) {
      await this.client.until(() => readChunks(this.rest) !== null || this.over, 'the last chunk')
      const whole = readChunks(this.rest)
      this.#read += whole?.used ?? 0
      return { status, head, body: whole?.body ?? this.rest, complete: whole !== null }
    }
    const wanted = length === undefined ? Number.POSITIVE_INFINITY : Number(length)
    await this.client.until(() => this.rest.length >= wanted || this.over, 'the body')
    const body = this.rest.slice(0, wanted)
    this.#read += body.length
    return { status, head, body, complete: length === undefined || body.length === wanted }
  }

  end(): void {
    this.client.destroy()
  }
}

/** Opens connections and closes them all; one instance for each test. */
export class Talks {
  readonly #way: () => Way
  readonly #open: Talk[] = []

  constructor(way: () => Way) {
    this.#way = way
  }

  async open(first?: string | Buffer): Promise<Talk> {
    const talk = new Talk(await this.#way().open())
    this.#open.push(talk)
    if (first !== undefined) talk.say(first)
    return talk
  }

  /** Sends one request on a separate connection, and returns its answer. */
  async ask(request: string | Buffer, method = 'GET'): Promise<Answer> {
    const talk = await this.open(request)
    return await talk.answer(method)
  }

  /** An open tunnel to a port of this machine. */
  async tunnel(port: number, more = ''): Promise<Talk> {
    const talk = await this.open(connectHead(`127.0.0.1:${port}`) + more)
    const { status } = await talk.answer('CONNECT')
    if (status !== 200) throw new Error(`the tunnel was refused with ${status}`)
    return talk
  }

  close(): void {
    for (const talk of this.#open.splice(0)) talk.end()
  }
}

export const connectHead = (target: string, fields = basic()) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${fields}\r\n`

export const request = (url: string, fields = '', method = 'GET') =>
  `${method} ${url} HTTP/1.1\r\nHost: ${/^\w+:\/\/([^/?]*)/.exec(url)?.[1] ?? 'x'}\r\n${basic()}${fields}\r\n`

export interface Target {
  port: number
  /** `http://127.0.0.1:port` */
  url: string
  /** Every byte received, by connection. */
  heard: string[]
  connections: () => number
  open: () => number
  close: () => void
}

type Script = string | ((socket: Socket, heard: string) => void)

/** A target that answers each head as the test specifies, and keeps every byte. */
export async function startTarget(script: Script, host = '127.0.0.1'): Promise<Target> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const at = heard.push('') - 1
    let heads = 0
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      heard[at] += chunk.toString('latin1')
      const text = heard[at] ?? ''
      const seen = text.split('\r\n\r\n').length - 1
      if (typeof script === 'function') script(socket, text)
      else for (; heads < seen; heads++) socket.write(Buffer.from(script, 'latin1'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    heard,
    connections: () => heard.length,
    open: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Calls the work with a target, and closes it in any case. */
export async function withTarget<T>(script: Script, work: (target: Target) => Promise<T>): Promise<T> {
  const target = await startTarget(script)
  try {
    return await work(target)
  } finally {
    target.close()
  }
}
