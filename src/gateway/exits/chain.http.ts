/** Asking an HTTP proxy for a tunnel (RFC 9110 9.3.6): the client's side of CONNECT. */

import { printDestination, type Credentials, type Destination } from './chain.socks5.ts'
import { judgeHead, wayRefusal } from './failure.ts'
import type { FeedExit } from '#feed'
import { HeadCollector } from '../http/head.collector.ts'
import { HeadFault, parseResponseHead, type ResponseHead } from '../http/head.ts'
import type { Inlet } from '../sockets/reader.ts'

const MOST_HEAD_BYTES = 32 * 1024

/** The value of Proxy-Authorization, or null without credentials. */
export function authorizationOf(credentials: Credentials | null): string | null {
  if (credentials === null) return null
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
}

function printConnect(destination: Destination, credentials: Credentials | null): Buffer {
  const where = printDestination(destination)
  const authorization = authorizationOf(credentials)
  const lines = [`CONNECT ${where} HTTP/1.1`, `Host: ${where}`]
  if (authorization !== null) lines.push(`Proxy-Authorization: ${authorization}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

async function readHead(inlet: Inlet, deadline: number): Promise<ResponseHead> {
  const collector = new HeadCollector({ limitBytes: MOST_HEAD_BYTES, bareLf: true })
  for (;;) {
    const chunk = await inlet.read(Math.max(1, deadline - performance.now()))
    if (chunk === null) throw wayRefusal('unclear', { status: null, word: 'http.closed' })
    const bytes = collector.push(chunk)
    if (bytes === null) continue
    inlet.unread(collector.rest)
    const head = parseResponseHead(bytes)
    if (head.status >= 200) return head
    return await readHead(inlet, deadline)
  }
}

/**
 * Asks the proxy for a tunnel. Throws a WayRefusal, or what the inlet throws. What followed the answer's head is left in
 * the inlet: it is the tunnel's.
 */
export async function askConnect(
  inlet: Inlet,
  exit: FeedExit,
  credentials: Credentials | null,
  destination: Destination,
  deadline: number,
): Promise<void> {
  inlet.socket.write(printConnect(destination, credentials))
  try {
    const head = await readHead(inlet, deadline)
    if (head.status < 200 || head.status > 299) throw judgeHead(exit, head)
  } catch (fault) {
    if (fault instanceof HeadFault)
      throw wayRefusal('failed', { status: null, word: 'http.malformed_answer' })
    throw fault
  }
}
