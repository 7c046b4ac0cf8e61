/**
 * The handle of a TCP connection in Node.js, below `net.Socket`, and the objects that its calls need. Calls
 * return 0 or a negative error number, and report what is done later to a function. None of it is documented:
 * `raw.trial.ts` tries it at the start.
 */

import { isIPv6, Socket, type SocketConstructorOpts } from 'node:net'
import { getSystemErrorName } from 'node:util'

/** What a handle reports to: the socket that owns it. */
export interface HandleOwner {
  /** Bytes, an end or an error was read. Returns another buffer for the next read; undefined: the same. */
  onRead(result: number): Buffer | undefined
  onConnected(status: number): void
  onWritten(request: WriteRequest, status: number): void
  onFinished(): void
}

export interface Handle {
  readonly fd?: number
  /** Bytes that were written and that the kernel has not accepted. */
  readonly writeQueueSize: number
  /**
   * Called for each read, with the number of bytes or the error in `lastRead`. The result is the buffer of
   * the next read.
   */
  onread: (this: Handle) => Buffer | undefined
  owner: HandleOwner
  useUserBuffer(buffer: Buffer): void
  readStart(): number
  readStop(): number
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number
  shutdown(request: Request): number
  close(): void
  /** Closes with RST; fails while an end is being sent. */
  reset(): number
  getpeername(peer: { address?: string; port?: number }): number
  getsockname(own: { address?: string; port?: number }): number
  setNoDelay(on: boolean): number
  bind(address: string, port: number): number
  bind6(address: string, port: number, flags: number): number
  connect(request: Request, address: string, port: number): number
  connect6(request: Request, address: string, port: number): number
}

/** An operation that the kernel completes later. */
export interface Request {
  oncomplete: (this: Request, status: number) => void
  socket: HandleOwner
}

export type WriteCallback = (error?: Error | null) => void

export interface WriteRequest extends Omit<Request, 'oncomplete'> {
  oncomplete: (this: WriteRequest, status: number) => void
  /** Keeps the bytes in memory until they are written. */
  bytes: Uint8Array
  callback: WriteCallback | undefined
}

interface Bindings {
  TCP: new (kind: number) => Handle & BoundHandle
  TCPConnectWrap: new () => Request
  ShutdownWrap: new () => Request
  WriteWrap: new () => WriteRequest
  constants: { SOCKET: number; SERVER: number; UV_TCP_REUSEPORT: number }
  streamBaseState: Int32Array
  kReadBytesOrError: number
  kLastWriteWasAsync: number
}

/** Empty on a Node.js without these bindings: using one throws, and the trial fails. */
function loadBindings(): Partial<Bindings> {
  const { binding } = process as unknown as { binding?: (name: string) => Partial<Bindings> }
  try {
    return { ...binding?.('tcp_wrap'), ...binding?.('stream_wrap') }
  } catch {
    return {}
  }
}

const { TCP, constants, streamBaseState, kReadBytesOrError, kLastWriteWasAsync, ...requests } =
  loadBindings() as Bindings

export const { TCPConnectWrap, ShutdownWrap, WriteWrap } = requests

/** A handle without a connection. */
export const newHandle = (): Handle => new TCP(constants.SOCKET)

/**
 * A socket that is bound and does not listen in this process. Closing it leaves the copies of other processes
 * open.
 */
export interface BoundHandle {
  close(): void
}

interface BindingHandle extends BoundHandle {
  bind(address: string, port: number, flags: number): number
  bind6(address: string, port: number, flags: number): number
  getsockname(own: { port?: number }): number
}

/**
 * Binds a socket, which other programs of this user may bind too (`SO_REUSEPORT`); throws the system's error.
 */
export function bindSocket(address: string, port: number): BoundHandle {
  const handle = new TCP(constants.SERVER) as BoundHandle as BindingHandle
  const flags = constants.UV_TCP_REUSEPORT
  const error = isIPv6(address) ? handle.bind6(address, port, flags) : handle.bind(address, port, flags)
  // libuv reports a port in use at the next call only.
  const failure = error === 0 ? handle.getsockname({}) : error
  if (failure === 0) return handle
  handle.close()
  throw Object.assign(systemError(failure, 'listen'), { address, port })
}

/** Where to connect to, and the local address to connect from. */
export interface RawAddress {
  host: string
  port: number
  family: 4 | 6
  localAddress?: string
}

/** Starts connecting; the result is 0 or an error. */
export function startConnecting(
  handle: Handle,
  request: Request,
  { host, port, family, localAddress }: RawAddress,
): number {
  // Set once the next calls have made the socket.
  handle.setNoDelay(true)
  const isIpv4 = family === 4
  if (localAddress !== undefined) {
    const error = isIpv4 ? handle.bind(localAddress, 0) : handle.bind6(localAddress, 0, 0)
    if (error !== 0) return error
  }
  return isIpv4 ? handle.connect(request, host, port) : handle.connect6(request, host, port)
}

/** A paused stream that owns the handle from here on. */
export function streamOver(handle: Handle): Socket {
  // A handle that once had a buffer of its user always reads into such a buffer: its bytes are copied to the
  // stream.
  const onread = {
    buffer: Buffer.allocUnsafe(16 * 1024),
    callback(this: Socket, bytes: number, buffer: Uint8Array): boolean {
      return this.push(Buffer.from(buffer.subarray(0, bytes)))
    },
  }
  // Node.js's own server makes sockets with `handle`, which its types leave out.
  const options = { handle, allowHalfOpen: true, pauseOnCreate: true, onread }
  return new Socket(options as unknown as SocketConstructorOpts)
}

/** In `onread`: the number of bytes, or the error. */
export const lastRead = (): number => streamBaseState[kReadBytesOrError] ?? 0

/** After `writeBuffer`: whether bytes wait for the kernel. */
export const isWriteWaiting = (): boolean => streamBaseState[kLastWriteWasAsync] !== 0

/**
 * The error of a call, as `node:net` would emit it. It has no stack: a peer makes one with each RST, and
 * where in this program the bytes were read says nothing.
 */
export function systemError(errno: number, syscall: string): NodeJS.ErrnoException {
  const code = getSystemErrorName(errno)
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new Error(`${syscall} ${code}`)
  Error.stackTraceLimit = stackTraceLimit
  return Object.assign(error, { errno, code, syscall })
}
