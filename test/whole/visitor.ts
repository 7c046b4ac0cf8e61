/**
 * A proxy client that counts every byte it writes to and reads from its own connection, except handshakes. It
 * uses plain sockets, so that none of the gateway's own code is involved in the check.
 */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

export interface Way {
  port: number
  login: string
  password: string
  target: { host: string; port: number }
}

export interface Count {
  sent: number
  received: number
  /** How the connection ended for the client. */
  end: 'closed' | 'aborted' | 'error'
}

export type Protocol = 'http' | 'connect' | 'socks5'

/** The work after the tunnel to the target is open: the head and body to send, and when to reset. */
export interface Errand {
  request: Buffer[]
  /** Destroys the connection after this many received bytes. */
  abortAfter?: number
}

const basic = ({ login, password }: Way) => Buffer.from(`${login}:${password}`).toString('base64')

/**
 * Runs the work and counts payload bytes by the rules of charging: without handshakes. `socket` is a
 * connection to the gateway; default: a new one.
 */
export async function run(
  protocol: Protocol,
  way: Way,
  errand: Errand,
  socket: Socket = createConnection({ host: '127.0.0.1', port: way.port, noDelay: true }),
): Promise<Count> {
  const count: Count = { sent: 0, received: 0, end: 'closed' }
  socket.on('error', () => (count.end = 'error'))
  const closed = once(socket, 'close').catch(() => undefined)
  if (socket.connecting) await once(socket, 'connect')
  const early =
    protocol === 'connect'
      ? await connect(socket, way)
      : protocol === 'socks5'
        ? await socks(socket, way)
        : ''
  count.received += early.length
  socket.on('data', (chunk: Buffer) => {
    if (count.end === 'aborted') return
    count.received += chunk.length
    if (errand.abortAfter !== undefined && count.received >= errand.abortAfter) {
      count.end = 'aborted'
      socket.resetAndDestroy()
    }
  })
  for (const part of errand.request) {
    if (socket.destroyed) break
    count.sent += part.length
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), closed])
  }
  await closed
  return count
}

/** CONNECT; returns the bytes after the answer's head. Throws the status line of a refusal. */
async function connect(socket: Socket, way: Way): Promise<string> {
  const authority = `${way.target.host}:${way.target.port}`
  socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic(way)}\r\n\r\n`,
  )
  let head = ''
  while (!head.includes('\r\n\r\n')) head += (await read(socket)).toString('latin1')
  const [statusLine = ''] = head.split('\r\n')
  if (!statusLine.startsWith('HTTP/1.1 200')) {
    socket.destroy()
    throw new Error(statusLine)
  }
  return head.slice(head.indexOf('\r\n\r\n') + 4)
}

/** SOCKS5 with user name and password (RFC 1928, 1929), one step at a time. */
async function socks(socket: Socket, way: Way): Promise<string> {
  socket.write(Buffer.from([5, 1, 2]))
  await expectBytes(socket, [5, 2])
  const user = Buffer.from(way.login)
  const password = Buffer.from(way.password)
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]))
  await expectBytes(socket, [1, 0])
  const address = way.target.host.split('.').map(Number)
  socket.write(Buffer.from([5, 1, 0, 1, ...address, way.target.port >> 8, way.target.port & 255]))
  const reply = await read(socket)
  if (reply[1] !== 0) {
    socket.destroy()
    throw new Error(`SOCKS reply ${reply[1]}`)
  }
  const length = reply[3] === 4 ? 22 : 10
  return reply.subarray(length).toString('latin1')
}

async function expectBytes(socket: Socket, wanted: number[]): Promise<void> {
  const got = await read(socket)
  if (!got.equals(Buffer.from(wanted)))
    throw new Error(`expected ${wanted.join(' ')}, got ${[...got].join(' ')}`)
}

/** Reads the next bytes in paused mode. */
async function read(socket: Socket): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read() as Buffer | null
    if (chunk !== null) return chunk
    if (socket.destroyed || socket.readableEnded) throw new Error('the gateway closed the connection')
    await Promise.race([once(socket, 'readable'), once(socket, 'close')])
  }
}

/** A GET of a path, in the form of each protocol. */
export function get(protocol: Protocol, way: Way, path: string): Errand {
  const host = `${way.target.host}:${way.target.port}`
  const lines =
    protocol === 'http'
      ? [`GET http://${host}${path} HTTP/1.1`, `Host: ${host}`, `Proxy-Authorization: Basic ${basic(way)}`]
      : [`GET ${path} HTTP/1.1`, `Host: ${host}`]
  return { request: [Buffer.from(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)] }
}

/** A POST of this many bytes. */
export function post(protocol: Protocol, way: Way, path: string, bytes: number): Errand {
  const host = `${way.target.host}:${way.target.port}`
  const target = protocol === 'http' ? `http://${host}${path}` : path
  const lines = [`POST ${target} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${bytes}`, 'Connection: close']
  if (protocol === 'http') lines.push(`Proxy-Authorization: Basic ${basic(way)}`)
  const request = [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)]
  for (let left = bytes; left > 0; left -= 65_536) request.push(Buffer.alloc(Math.min(left, 65_536), 'x'))
  return { request }
}
