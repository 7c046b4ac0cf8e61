/**
 * Opens a tunnel as a client program does, by SOCKS5 (RFC 1928) with a user name and a password (RFC 1929).
 */
import { once } from 'node:events'
import net from 'node:net'
import type { ProxyEndpoint } from '#contract/proxy-lines'

const version = 5
const byPassword = 2
const connectCommand = 1
const domainName = 3

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** A byte of length, and the text. */
const counted = (text: string): Buffer => Buffer.from([Buffer.byteLength(text), ...Buffer.from(text)])

/** Exactly this many bytes; what came beyond them stays for the next reader. */
async function take(socket: net.Socket, size: number, signal: AbortSignal): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read(size) as Buffer | null
    if (chunk !== null && chunk.length === size) return chunk
    if (chunk !== null || socket.readableEnded) throw new Error('the proxy closed the connection')
    await Promise.race([once(socket, 'readable', { signal }), once(socket, 'end', { signal })])
  }
}

/** The length of the address in a reply, after its type: 4, 16, or as its first byte says. */
async function addressSize(
  socket: net.Socket,
  type: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  if (type === domainName) return (await take(socket, 1, signal))[0] ?? 0
  return type === 1 ? 4 : 16
}

/** The tunnel to the target; null: the proxy refused it. SOCKS5 does not say why. */
export async function openSocksTunnel(
  { hostname, port, credentials }: ProxyEndpoint,
  target: URL,
  signal: AbortSignal,
): Promise<net.Socket | null> {
  const socket = net.connect({ host: hostname, port })
  const abort = () => socket.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await once(socket, 'connect', { signal })
    socket.write(Buffer.from([version, 1, byPassword]))
    if ((await take(socket, 2, signal))[1] !== byPassword) return refused(socket)
    const { login = '', password = '' } = credentials ?? {}
    socket.write(Buffer.concat([Buffer.from([1]), counted(login), counted(password)]))
    if ((await take(socket, 2, signal))[1] !== 0) return refused(socket)
    const end = Buffer.alloc(2)
    end.writeUInt16BE(portOf(target))
    const head = Buffer.from([version, connectCommand, 0, domainName])
    socket.write(Buffer.concat([head, counted(target.hostname), end]))
    const [, reply, , type] = await take(socket, 4, signal)
    if (reply !== 0) return refused(socket)
    await take(socket, (await addressSize(socket, type, signal)) + 2, signal)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function refused(socket: net.Socket): null {
  socket.destroy()
  return null
}
