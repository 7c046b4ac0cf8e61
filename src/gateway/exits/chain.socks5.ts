/** Asking a SOCKS5 proxy for a connection (RFC 1928, RFC 1929): the client's side of the handshake. */

import { formatIp, type Ip } from '#lib/ip'
import { judgeReply, wayRefusal } from './failure.ts'
import type { Inlet } from '../sockets/reader.ts'

const VERSION = 5
const NO_AUTHENTICATION = 0
const USER_PASSWORD = 2

export interface Credentials {
  username: string
  password: string
}

/** Where an exit is asked to connect to: a name, or an address that was judged. */
export type Destination = { host: string | Ip; port: number }

const bad = (word: string) => wayRefusal('failed', { status: null, word })

/** Methods are offered; a password only when there is one. */
export function printGreeting(credentials: Credentials | null): Buffer {
  return Buffer.from(
    credentials === null ? [VERSION, 1, NO_AUTHENTICATION] : [VERSION, 2, NO_AUTHENTICATION, USER_PASSWORD],
  )
}

export function printUserPassword({ username, password }: Credentials): Buffer {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)]
  if (name.length > 255 || secret.length > 255) throw bad('login_too_long')
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret])
}

export function printRequest({ host, port }: Destination): Buffer {
  const end = Buffer.from([port >> 8, port & 255])
  const start = [VERSION, 1, 0]
  if (typeof host === 'string')
    return Buffer.concat([Buffer.from([...start, 3, host.length]), Buffer.from(host, 'latin1'), end])
  const bytes = Buffer.from(host.value.toString(16).padStart(host.family === 4 ? 8 : 32, '0'), 'hex')
  return Buffer.concat([Buffer.from([...start, host.family === 4 ? 1 : 4]), bytes, end])
}

/** Reads a message of two bytes; null: more are needed. */
function readPair(bytes: Buffer, version: number, word: string): { value: number; used: number } | null {
  if (bytes.length > 0 && bytes[0] !== version) throw bad(word)
  const value = bytes[1]
  return value === undefined ? null : { value, used: 2 }
}

/** Reads the reply to a request; null: more bytes are needed. The address it names is nobody's concern. */
export function readReply(bytes: Buffer): { value: number; used: number } | null {
  if (bytes.length > 0 && bytes[0] !== VERSION) throw bad('socks.not_version_5')
  const [, value, , type, named] = bytes
  // A refusal may be cut short by the proxy's closing: its code is all that matters.
  if (value !== undefined && value !== 0) return { value, used: bytes.length }
  if (value === undefined || type === undefined) return null
  if (type !== 1 && type !== 3 && type !== 4) throw bad('socks.unknown_address_type')
  if (type === 3 && named === undefined) return null
  const used = 4 + (type === 1 ? 4 : type === 4 ? 16 : 1 + (named ?? 0)) + 2
  return bytes.length < used ? null : { value, used }
}

type Take = (parse: (bytes: Buffer) => { value: number; used: number } | null) => Promise<number>

/** Takes messages from the inlet, however they arrive; `late` and `gone` say what is thrown when none does. */
function taker(inlet: Inlet, deadline: number): Take {
  return async (parse) => {
    let bytes: Buffer = Buffer.alloc(0)
    for (;;) {
      const chunk = await inlet.read(Math.max(1, deadline - performance.now()))
      // Some proxies close in place of an answer; whether it is them or the target is not to be known.
      if (chunk === null) throw wayRefusal('unclear', { status: null, word: 'socks.closed' })
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      const message = parse(bytes)
      if (message === null) continue
      inlet.unread(bytes.subarray(message.used))
      return message.value
    }
  }
}

/** Method and credentials: what an exit can be asked without naming a target. */
async function authenticate(inlet: Inlet, take: Take, credentials: Credentials | null): Promise<void> {
  inlet.socket.write(printGreeting(credentials))
  const method = await take((bytes) => readPair(bytes, VERSION, 'socks.not_version_5'))
  if (method === NO_AUTHENTICATION) return
  if (method !== USER_PASSWORD || credentials === null)
    throw wayRefusal('credentials', { status: null, word: 'socks.no_acceptable_method' })
  inlet.socket.write(printUserPassword(credentials))
  const status = await take((bytes) => readPair(bytes, 1, 'socks.not_version_1'))
  if (status !== 0) throw wayRefusal('credentials', { status: null, word: 'socks.login_refused' })
}

/**
 * Shakes hands with the proxy, up to the open connection, or up to the request when there is none. Throws a WayRefusal,
 * or what the inlet throws. What followed the reply is left in the inlet.
 */
export async function askSocks(
  inlet: Inlet,
  credentials: Credentials | null,
  destination: Destination | null,
  deadline: number,
): Promise<void> {
  const take = taker(inlet, deadline)
  await authenticate(inlet, take, credentials)
  if (destination === null) return
  inlet.socket.write(printRequest(destination))
  const reply = await take(readReply)
  if (reply !== 0) throw judgeReply(reply)
}

/** host:port as HTTP writes it. */
export function printDestination({ host, port }: Destination): string {
  if (typeof host === 'string') return `${host}:${port}`
  return host.family === 6 ? `[${formatIp(host)}]:${port}` : `${formatIp(host)}:${port}`
}
