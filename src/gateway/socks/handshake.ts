/** The SOCKS5 handshake up to the authentication: method, credentials, and the replies to refused clients. */

import type { Presented } from '../admission/credentials.ts'
import { pairOf, presentedAs } from '../admission/credentials.ts'
import type { RefusalParts } from '../responses/refusal.ts'
import { closeGracefully } from '../sockets/close.ts'
import { ConnectionClosed, readMessage, ReadTimeout, type SocketReader } from '../sockets/reader.ts'
import { writeUnmetered } from '../sockets/writer.ts'
import {
  parseGreeting,
  parseSocksRequest,
  parseUserPassword,
  printAuthStatus,
  printMethod,
  printReply,
} from './messages.ts'

/** Reads one message; null when the client closed the connection or was too slow. */
export async function readFromClient<T extends { used: number }>(
  reader: SocketReader,
  parse: (bytes: Buffer) => T | null,
  deadline: number,
): Promise<T | null> {
  try {
    return await readMessage(reader, parse, deadline)
  } catch (error) {
    if (error instanceof ReadTimeout || error instanceof ConnectionClosed) return null
    throw error
  }
}

/** Sends the last message, if there is one, and closes the connection. */
export function endHandshake(reader: SocketReader, message: string | null): void {
  if (message !== null) writeUnmetered(reader.socket, message)
  reader.release()
  closeGracefully(reader.socket)
}

export interface Handshake<S> {
  reader: SocketReader
  /** Monotonic milliseconds. */
  deadline: number
  /** "No authentication" is chosen when it is offered, as on slot ports. */
  prefersNone: boolean
  admit: (presented: Presented) => S | Promise<S>
  /** The reply for an error thrown by `admit`. */
  refusalOf: (error: unknown) => RefusalParts
}

/**
 * Admits the client by method and credentials; null when the connection was closed instead. Throws
 * SocksFault.
 */
export async function authenticate<S>(handshake: Handshake<S>): Promise<S | null> {
  const { reader, deadline, prefersNone } = handshake
  const greeting = await readFromClient(reader, parseGreeting, deadline)
  if (greeting === null) {
    reader.socket.destroy()
    return null
  }
  // Many clients always offer "no authentication" besides their password: the password is preferred.
  if (greeting.userPassword && !(prefersNone && greeting.noAuthentication)) return await byPassword(handshake)
  if (greeting.noAuthentication) return await byAddress(handshake)
  endHandshake(reader, printMethod('refused'))
  return null
}

async function byAddress<S>(handshake: Handshake<S>): Promise<S | null> {
  const { reader, admit, refusalOf } = handshake
  try {
    const session = await admit('none')
    writeUnmetered(reader.socket, printMethod('none'))
    return session
  } catch (error) {
    const parts = refusalOf(error)
    if (parts.status === 407) {
      endHandshake(reader, printMethod('refused'))
      return null
    }
    writeUnmetered(reader.socket, printMethod('none'))
    await forbidRequest(handshake, parts.reply)
    return null
  }
}

async function byPassword<S>(handshake: Handshake<S>): Promise<S | null> {
  const { reader, deadline, admit, refusalOf } = handshake
  writeUnmetered(reader.socket, printMethod('password'))
  const given = await readFromClient(reader, parseUserPassword, deadline)
  if (given === null) {
    reader.socket.destroy()
    return null
  }
  try {
    const session = await admit(presentedAs(pairOf(given.username, given.password)))
    writeUnmetered(reader.socket, printAuthStatus(true))
    return session
  } catch (error) {
    const parts = refusalOf(error)
    if (parts.status !== 403) {
      endHandshake(reader, parts.status === 429 ? null : printAuthStatus(false))
      return null
    }
    // The credentials are right; the request is forbidden.
    writeUnmetered(reader.socket, printAuthStatus(true))
    await forbidRequest(handshake, parts.reply)
    return null
  }
}

/** The authentication is complete, and any request is refused. */
async function forbidRequest<S>({ reader, deadline }: Handshake<S>, reply: number): Promise<void> {
  await readFromClient(reader, parseSocksRequest, deadline)
  endHandshake(reader, printReply(reply))
}
