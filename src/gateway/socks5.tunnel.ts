/** A SOCKS5 client, from its greeting to the end of its tunnel. */

import { admit } from './admission/admission.ts'
import { carry, endWithClient } from './tunnel.ts'
import { credentialsOf, presentedAs } from './admission/credentials.ts'
import { endSession, openTarget, refusalOf, type Engine, type Visitor } from './engine.ts'
import type { Inlet } from './sockets/reader.ts'
import { lingeringClose } from './sockets/close.ts'
import { SOCKS_REPLY } from './responses/refusal.ts'
import {
  CONNECT_COMMAND,
  parseGreeting,
  parseSocksRequest,
  parseUserPassword,
  printAuthStatus,
  printMethod,
  printReply,
  SocksFault,
  type SocksRequest,
} from './socks/messages.ts'
import { parseHost, parsePort, printTarget, type Target } from './targets/target.ts'
import { Trace } from './records/trace.ts'
import type { Session } from './sessions.ts'

/** Reads one message; null when the client went away or was too slow. */
async function take<T extends { used: number }>(
  inlet: Inlet,
  parse: (bytes: Buffer) => T | null,
  deadline: number,
): Promise<T | null> {
  let bytes: Buffer = Buffer.alloc(0)
  for (;;) {
    const chunk = await inlet.read(Math.max(1, deadline - performance.now())).catch(() => null)
    if (chunk === null) return null
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    const message = parse(bytes)
    if (message === null) continue
    inlet.unread(bytes.subarray(message.used))
    return message
  }
}

function refuse(inlet: Inlet, message: Buffer | null): void {
  if (message !== null) inlet.socket.write(message)
  inlet.release()
  lingeringClose(inlet.socket)
}

interface Handshake {
  engine: Engine
  visitor: Visitor
  inlet: Inlet
  deadline: number
  trace: Trace
}

/** The method is agreed; the request is forbidden, whatever it is. */
async function forbid({ inlet, deadline }: Handshake, reply: number): Promise<void> {
  await take(inlet, parseSocksRequest, deadline)
  refuse(inlet, printReply(reply))
}

/** Who shows nothing may be known by the address. */
async function authenticateByAddress(shaking: Handshake): Promise<Session | null> {
  const { engine, visitor, inlet, trace } = shaking
  try {
    const session = await admit(engine, visitor, 'none', trace)
    inlet.socket.write(printMethod('none'))
    return session
  } catch (fault) {
    const parts = refusalOf(engine, fault, trace)
    if (parts.status === 407) {
      refuse(inlet, printMethod('refused'))
      return null
    }
    inlet.socket.write(printMethod('none'))
    await forbid(shaking, parts.reply)
    return null
  }
}

async function authenticateByPassword(shaking: Handshake): Promise<Session | null> {
  const { engine, visitor, inlet, deadline, trace } = shaking
  inlet.socket.write(printMethod('password'))
  const given = await take(inlet, parseUserPassword, deadline)
  if (given === null) {
    inlet.socket.destroy()
    return null
  }
  const presented = presentedAs(credentialsOf(given.username, given.password))
  try {
    const session = await admit(engine, visitor, presented, trace)
    inlet.socket.write(printAuthStatus(true))
    return session
  } catch (fault) {
    const parts = refusalOf(engine, fault, trace)
    if (parts.status !== 403) {
      refuse(inlet, parts.status === 429 ? null : printAuthStatus(false))
      return null
    }
    // The credentials are right; it is the request that is forbidden.
    inlet.socket.write(printAuthStatus(true))
    await forbid(shaking, parts.reply)
    return null
  }
}

/** Method and credentials; null when the connection is at its end. */
async function authenticate(shaking: Handshake): Promise<Session | null> {
  const { visitor, inlet, deadline } = shaking
  const greeting = await take(inlet, parseGreeting, deadline)
  if (greeting === null) {
    inlet.socket.destroy()
    return null
  }
  // Many clients offer "none" always and mean the other: a password is asked for where one can be told. A slot port
  // knows none.
  const preferNone = visitor.slot !== null
  if (greeting.userPassword && !(preferNone && greeting.noAuthentication))
    return await authenticateByPassword(shaking)
  if (greeting.noAuthentication) return await authenticateByAddress(shaking)
  refuse(inlet, printMethod('refused'))
  return null
}

function readTarget(request: SocksRequest): Target {
  return { ...parseHost(request.host ?? ''), port: parsePort(String(request.port)) }
}

/** The reply to a request that is turned down by its form alone, or null. */
function unsupported(request: SocksRequest): number | null {
  if (request.command !== CONNECT_COMMAND) return SOCKS_REPLY.commandUnsupported
  return request.host === null ? SOCKS_REPLY.addressUnsupported : null
}

async function serveRequest(engine: Engine, inlet: Inlet, session: Session, deadline: number): Promise<void> {
  const request = await take(inlet, parseSocksRequest, deadline)
  const nowhere = { target: '', reason: 'refused', upBytes: 0, downBytes: 0 } as const
  if (request === null) {
    inlet.socket.destroy()
    endSession(engine, session, nowhere)
    return
  }
  const turnedDown = unsupported(request)
  if (turnedDown !== null) {
    refuse(inlet, printReply(turnedDown))
    endSession(engine, session, nowhere)
    return
  }
  const stopWatching = endWithClient(inlet, session)
  try {
    const target = readTarget(request)
    const { side } = await openTarget(engine, session, target, 1)
    stopWatching()
    inlet.socket.write(printReply(SOCKS_REPLY.granted))
    carry(engine, session, { inlet, target: side, name: printTarget(target) })
  } catch (fault) {
    stopWatching()
    endSession(engine, session, nowhere)
    if (session.stopped) inlet.socket.destroy()
    else refuse(inlet, printReply(refusalOf(engine, fault, session.parts.trace).reply))
  }
}

/** Serves one SOCKS5 connection; resolves when it is over. */
export async function serveSocks(engine: Engine, visitor: Visitor, inlet: Inlet): Promise<void> {
  const deadline = performance.now() + engine.limits.handshakeMs
  let session: Session | null = null
  try {
    session = await authenticate({ engine, visitor, inlet, deadline, trace: new Trace('socks5') })
    if (session !== null) await serveRequest(engine, inlet, session, deadline)
  } catch (fault) {
    session?.end()
    if (!(fault instanceof SocksFault)) throw fault
    refuse(inlet, fault.reply === null ? null : printReply(fault.reply))
  }
}
