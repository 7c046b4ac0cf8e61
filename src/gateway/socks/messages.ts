/** Parses and prints the messages of SOCKS5 (RFC 1928) and of its user/password method (RFC 1929). Pure. */

import { formatIp } from '#lib/ip'

/**
 * A message violates the RFCs. `reply` is sent when the request could be read; null: the connection is
 * closed.
 */
export class SocksFault extends Error {
  readonly reply: number | null
  constructor(sentence: string, reply: number | null) {
    super(sentence)
    this.reply = reply
  }
}

const NO_AUTHENTICATION = 0
const USER_PASSWORD = 2
const NONE_ACCEPTABLE = 0xff

export interface Greeting {
  /** The methods that the client offers. */
  noAuthentication: boolean
  userPassword: boolean
  used: number
}

/** Parses the greeting; null: bytes are missing. */
export function parseGreeting(bytes: Buffer): Greeting | null {
  if (bytes.length > 0 && bytes[0] !== 5) throw new SocksFault('not SOCKS version 5', null)
  const count = bytes[1]
  if (count === undefined || bytes.length < 2 + count) return null
  const methods = bytes.subarray(2, 2 + count)
  return {
    noAuthentication: methods.includes(NO_AUTHENTICATION),
    userPassword: methods.includes(USER_PASSWORD),
    used: 2 + count,
  }
}

/** Parses user name and password; null: bytes are missing. */
export function parseUserPassword(
  bytes: Buffer,
): { username: Buffer; password: Buffer; used: number } | null {
  if (bytes.length > 0 && bytes[0] !== 1) throw new SocksFault('not version 1 of user/password', null)
  const nameLength = bytes[1]
  if (nameLength === undefined) return null
  const passwordLength = bytes[2 + nameLength]
  if (passwordLength === undefined) return null
  const used = 3 + nameLength + passwordLength
  if (bytes.length < used) return null
  return { username: bytes.subarray(2, 2 + nameLength), password: bytes.subarray(3 + nameLength, used), used }
}

export interface SocksRequest {
  command: number
  /** A name or an address, as text; null for an unknown address type. */
  host: string | null
  port: number
  used: number
}

/** Parses the request; null: bytes are missing. */
export function parseSocksRequest(bytes: Buffer): SocksRequest | null {
  if (bytes.length > 0 && bytes[0] !== 5) throw new SocksFault('not SOCKS version 5', null)
  const command = bytes[1]
  const type = bytes[3]
  if (command === undefined || type === undefined) return null
  if (bytes[2] !== 0) throw new SocksFault('the reserved byte is not zero', 1)
  // The end of an address of an unknown type is not known; nothing after it is read.
  if (type !== 1 && type !== 3 && type !== 4) return { command, host: null, port: 0, used: 4 }
  let length = type === 1 ? 4 : 16
  let start = 4
  if (type === 3) {
    const nameLength = bytes[4]
    if (nameLength === undefined) return null
    length = nameLength
    start = 5
  }
  const used = start + length + 2
  if (bytes.length < used) return null
  const address = bytes.subarray(start, start + length)
  return { command, host: printAddress(type, address), port: bytes.readUInt16BE(used - 2), used }
}

function printAddress(type: 1 | 3 | 4, address: Buffer): string {
  // latin1 keeps every byte, so that a NUL or a non-ASCII character is refused when the name is parsed.
  if (type === 3) return address.toString('latin1')
  const value = BigInt(`0x${address.toString('hex')}`)
  return formatIp({ family: type === 1 ? 4 : 6, value })
}

export const CONNECT_COMMAND = 1

const METHODS = { none: NO_AUTHENTICATION, password: USER_PASSWORD, refused: NONE_ACCEPTABLE } as const

// What is sent is latin1 text: a character is a byte.

/** The chosen method. */
export function printMethod(method: keyof typeof METHODS): string {
  return String.fromCharCode(5, METHODS[method])
}

export function printAuthStatus(granted: boolean): string {
  return granted ? '\x01\x00' : '\x01\x01'
}

/** A reply. The bound address is always 0.0.0.0:0: the exit's address is not disclosed. */
export function printReply(reply: number): string {
  return String.fromCharCode(5, reply, 0, 1, 0, 0, 0, 0, 0, 0)
}
