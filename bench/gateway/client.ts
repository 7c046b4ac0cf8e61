/**
 * A proxy client for the bench: raw sockets, one read buffer for all of them, and no data that a proxy could
 * cache.
 */
import { writeSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

export interface Proxy {
  protocol: 'connect' | 'socks5'
  /** Target ports, used in turn. */
  ports: number[]
  logins: { user: string; password: string }[]
  /** Connects without a password, for a peer that cannot require one here. */
  open?: true
}

const BUFFER = Buffer.allocUnsafeSlow(256 * 1024)
let opened = 0

/**
 * A connection that passes received bytes to `onBytes` while that is set; they are valid until it returns.
 */
export class Line {
  readonly socket: Socket
  bytes = 0
  onBytes: ((bytes: Buffer) => void) | null = null
  onClose: (() => void) | null = null
  closed = false

  constructor(port: number) {
    // Source addresses in turn: one address has only some 28,000 ports, each of which is unusable for a
    // minute after its use.
    const localAddress = `127.0.0.${2 + (opened++ % 100)}`
    this.socket = connect({
      port,
      host: '127.0.0.1',
      localAddress,
      noDelay: true,
      onread: {
        buffer: BUFFER,
        callback: (bytes) => {
          this.bytes += bytes
          this.onBytes?.(BUFFER.subarray(0, bytes))
          return true
        },
      },
    })
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => {
      this.closed = true
      this.onClose?.()
    })
  }

  connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once('connect', resolve)
      this.onClose = () => reject(new Error('the proxy cannot be connected to'))
    })
  }

  /** Sends a few bytes at minimal cost. */
  send(bytes: Buffer): void {
    const { _handle: handle } = this.socket as unknown as { _handle: { fd: number } | null }
    if (handle !== null && writeSync(handle.fd, bytes) !== bytes.length)
      throw new Error('the proxy accepts no bytes')
  }

  /** Sends, and returns the received bytes once there are enough. */
  ask(bytes: Buffer | string, enough: (got: Buffer) => boolean): Promise<Buffer> {
    let got: Buffer = Buffer.alloc(0)
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`the connection ended: ${got.toString('latin1').slice(0, 200)}`))
      if (this.closed) ended()
      this.onClose = ended
      this.onBytes = (part) => {
        got = Buffer.concat([got, part])
        if (!enough(got)) return
        this.onBytes = null
        resolve(got)
      }
      this.socket.write(bytes)
    })
  }

  /** Ends the connection as a client does, and waits until the proxy has closed it too. */
  end(): Promise<void> {
    if (this.closed) return Promise.resolve()
    return new Promise((resolve) => {
      this.onClose = resolve
      this.socket.end()
    })
  }
}

export function authorization({ logins, open }: Proxy, index: number): string {
  const login = logins[index % logins.length]
  if (open || login === undefined) return ''
  return `Proxy-Authorization: Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}\r\n`
}

/** An open tunnel to the target's port, by its address or by a name. */
export async function tunnel(
  proxy: Proxy,
  targetPort: number,
  index = 0,
  name: string | null = null,
): Promise<Line> {
  const line = new Line(proxy.ports[index % proxy.ports.length] ?? 0)
  await line.connected()
  if (proxy.protocol === 'connect') {
    const authority = `${name ?? '127.0.0.1'}:${targetPort}`
    const head = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization(proxy, index)}\r\n`
    const answer = await line.ask(head, (got) => got.includes('\r\n\r\n'))
    if (!/^HTTP\/1\.[01] 200/.test(answer.toString('latin1'))) throw new Error(answer.toString('latin1'))
  } else await socks(line, proxy, { port: targetPort, name }, index)
  line.onClose = null
  return line
}

async function socks(
  line: Line,
  { logins, open }: Proxy,
  { port, name }: { port: number; name: string | null },
  index: number,
): Promise<void> {
  const login = logins[index % logins.length]
  const method = open || login === undefined ? 0 : 2
  await line.ask(Buffer.from([5, 1, method]), (got) => got.length >= 2)
  if (method === 2 && login !== undefined) {
    const [user, password] = [Buffer.from(login.user), Buffer.from(login.password)]
    const message = [Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]
    const status = await line.ask(Buffer.concat(message), (got) => got.length >= 2)
    if (status[1] !== 0) throw new Error('the password was refused')
  }
  const host = name === null ? [1, 127, 0, 0, 1] : [3, name.length, ...Buffer.from(name)]
  const request = Buffer.from([5, 1, 0, ...host, port >> 8, port & 255])
  const reply = await line.ask(request, (got) => got.length >= 10)
  if (reply[1] !== 0) throw new Error(`SOCKS reply ${reply[1]}`)
}
