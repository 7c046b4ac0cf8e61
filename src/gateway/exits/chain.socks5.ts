/** The client's side of SOCKS5 (RFC 1928, RFC 1929): requesting a connection from a SOCKS5 proxy. */

import type { Ip } from '#lib/ip'
import { readMessage, ReadTimeout, type SocketReader } from '../sockets/reader.ts'
import type { ExitCredentials } from './choice.ts'
import { exitFailure, replyFailure } from './failure.ts'
import { expectAnswer, type Patience, ShortcutFailed } from './shortcuts.ts'

const VERSION = 5
const NO_AUTHENTICATION = 0
const USER_PASSWORD = 2

/** The destination requested from an exit: a name, or a judged address. */
export type Destination = { host: string | Ip; port: number }

const malformed = (word: string) => exitFailure('failed', { status: null, word })

/** Offers a password only when there is one. */
function printGreeting(credentials: ExitCredentials | null): Buffer {
  return Buffer.from(
    credentials === null ? [VERSION, 1, NO_AUTHENTICATION] : [VERSION, 2, NO_AUTHENTICATION, USER_PASSWORD],
  )
}

/**
 * The whole handshake: it offers a single method, since otherwise the message after the greeting would be a
 * guess.
 */
function printAtOnce(credentials: ExitCredentials | null, destination: Destination): Buffer {
  const request = printRequest(destination)
  if (credentials === null) return Buffer.concat([Buffer.from([VERSION, 1, NO_AUTHENTICATION]), request])
  return Buffer.concat([Buffer.from([VERSION, 1, USER_PASSWORD]), printUserPassword(credentials), request])
}

function printUserPassword({ username, password }: ExitCredentials): Buffer {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)]
  if (name.length > 255 || secret.length > 255) throw malformed('login_too_long')
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret])
}

function printRequest({ host, port }: Destination): Buffer {
  const end = Buffer.from([port >> 8, port & 255])
  const start = [VERSION, 1, 0]
  if (typeof host === 'string')
    return Buffer.concat([Buffer.from([...start, 3, host.length]), Buffer.from(host, 'latin1'), end])
  const bytes = Buffer.from(host.value.toString(16).padStart(host.family === 4 ? 8 : 32, '0'), 'hex')
  return Buffer.concat([Buffer.from([...start, host.family === 4 ? 1 : 4]), bytes, end])
}

interface Message {
  value: number
  used: number
}

/** Parses a message of two bytes; null: bytes are missing. */
function parsePair(bytes: Buffer, version: number, word: string): Message | null {
  if (bytes.length > 0 && bytes[0] !== version) throw malformed(word)
  const value = bytes[1]
  return value === undefined ? null : { value, used: 2 }
}

/** Parses the reply to a request; null: bytes are missing. The address in it is not used. */
export function parseReply(bytes: Buffer): Message | null {
  if (bytes.length > 0 && bytes[0] !== VERSION) throw malformed('socks.not_version_5')
  const [, value, , type, nameLength] = bytes
  // A refusal may be cut short when the proxy closes the connection: its code is enough.
  if (value !== undefined && value !== 0) return { value, used: bytes.length }
  if (value === undefined || type === undefined) return null
  if (type !== 1 && type !== 3 && type !== 4) throw malformed('socks.unknown_address_type')
  if (type === 3 && nameLength === undefined) return null
  const used = 4 + (type === 1 ? 4 : type === 4 ? 16 : 1 + (nameLength ?? 0)) + 2
  return bytes.length < used ? null : { value, used }
}

async function read(
  reader: SocketReader,
  parse: (bytes: Buffer) => Message | null,
  deadline: number,
): Promise<number> {
  const message = await readMessage(reader, parse, deadline)
  // Some proxies close the connection instead of answering, for a failure of their own or of the target.
  if (message === null) throw exitFailure('unclear', { status: null, word: 'socks.closed' })
  return message.value
}

const readMethod = (reader: SocketReader, deadline: number) =>
  read(reader, (bytes) => parsePair(bytes, VERSION, 'socks.not_version_5'), deadline)

const readStatus = (reader: SocketReader, deadline: number) =>
  read(reader, (bytes) => parsePair(bytes, 1, 'socks.not_version_1'), deadline)

/** Method and credentials: the part of the handshake that needs no target. */
async function authenticate(
  reader: SocketReader,
  credentials: ExitCredentials | null,
  { deadline, answerMs }: Patience,
): Promise<void> {
  reader.socket.write(printGreeting(credentials))
  if (answerMs !== null) await expectAnswer(reader, answerMs)
  const method = await readMethod(reader, deadline)
  if (method === NO_AUTHENTICATION) return
  if (method !== USER_PASSWORD || credentials === null)
    throw exitFailure('credentials', { status: null, word: 'socks.no_acceptable_method' })
  reader.socket.write(printUserPassword(credentials))
  const status = await readStatus(reader, deadline)
  if (status !== 0) throw exitFailure('credentials', { status: null, word: 'socks.login_refused' })
}

/**
 * Sends the whole handshake in one segment. Throws the ExitFailure of the exit's reply, ShortcutFailed for
 * anything else that may be due to the segment, and ReadTimeout when the exit accepted the login and the
 * reply did not come.
 */
export async function requestAtOnce(
  reader: SocketReader,
  credentials: ExitCredentials | null,
  destination: Destination,
  { deadline, answerMs }: { deadline: number; answerMs: number },
): Promise<void> {
  reader.socket.write(printAtOnce(credentials, destination))
  const answerBy = performance.now() + answerMs
  await expectAnswer(reader, answerMs)
  let reply: number
  try {
    const method = await readMethod(reader, answerBy)
    if (method !== (credentials === null ? NO_AUTHENTICATION : USER_PASSWORD)) throw new ShortcutFailed(false)
    if (credentials !== null && (await readStatus(reader, answerBy)) !== 0) throw new ShortcutFailed(false)
    // An exit that has accepted the login has read the request: the reply takes as long as the target takes.
    reply = await read(reader, parseReply, credentials === null ? answerBy : deadline)
  } catch (error) {
    if (error instanceof ReadTimeout && performance.now() >= deadline) throw error
    throw error instanceof ShortcutFailed ? error : new ShortcutFailed(false, { cause: error })
  }
  if (reply !== 0) throw replyFailure(reply)
}

/**
 * Does the handshake with the proxy, up to the open connection, or without a destination up to the
 * authentication. Throws an ExitFailure, or an error of the reader. Bytes after the reply stay in the reader.
 */
export async function requestSocks5(
  reader: SocketReader,
  credentials: ExitCredentials | null,
  destination: Destination | null,
  patience: Patience,
): Promise<void> {
  const { deadline } = patience
  await authenticate(reader, credentials, patience)
  if (destination === null) return
  reader.socket.write(printRequest(destination))
  const reply = await read(reader, parseReply, deadline)
  if (reply !== 0) throw replyFailure(reply)
}
