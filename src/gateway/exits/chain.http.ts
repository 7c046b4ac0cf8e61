/** The client's side of CONNECT (RFC 9110 9.3.6): requesting a tunnel from an HTTP proxy. */

import type { FeedExit } from '#feed'
import { formatIp, hostAndPort } from '#lib/ip'
import { memoized } from '#lib/memo'
import { HeadCollector } from '../http/head.collector.ts'
import { HeadFault, parseResponseHead, type ResponseHead } from '../http/head.ts'
import type { SocketReader } from '../sockets/reader.ts'
import { writeUnmetered } from '../sockets/writer.ts'
import type { Destination } from './chain.socks5.ts'
import type { ExitCredentials } from './choice.ts'
import { exitFailure, responseFailure } from './failure.ts'
import { expectAnswer, type Patience, ShortcutFailed } from './shortcuts.ts'

const MOST_HEAD_BYTES = 32 * 1024
const REQUEST_TIMEOUT = 408

const basicOf = memoized(10_000, (pair) => `Basic ${Buffer.from(pair).toString('base64')}`)

/** The value of Proxy-Authorization; null without credentials. */
export function authorizationOf(credentials: ExitCredentials | null): string | null {
  return credentials === null ? null : basicOf(`${credentials.username}:${credentials.password}`)
}

/** The request for a tunnel, as latin1 text. */
function printConnect({ host, port }: Destination, credentials: ExitCredentials | null): string {
  const authority = hostAndPort(typeof host === 'string' ? host : formatIp(host), port)
  const authorization = authorizationOf(credentials)
  const login = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`
}

async function readFinalHead(reader: SocketReader, deadline: number): Promise<ResponseHead> {
  const collector = new HeadCollector({ limitBytes: MOST_HEAD_BYTES, bareLf: true })
  for (;;) {
    const chunk = await reader.read(Math.max(1, deadline - performance.now()))
    if (chunk === null) throw exitFailure('unclear', { status: null, word: 'http.closed' })
    const bytes = collector.push(chunk)
    if (bytes === null) continue
    reader.unread(collector.rest)
    const head = parseResponseHead(bytes)
    return head.status >= 200 ? head : await readFinalHead(reader, deadline)
  }
}

/**
 * Requests a tunnel from the proxy. Throws an ExitFailure, or an error of the reader. Bytes after the head of
 * the response stay in the reader: they belong to the tunnel.
 */
export async function requestTunnel(
  reader: SocketReader,
  exit: FeedExit,
  credentials: ExitCredentials | null,
  destination: Destination,
  { deadline, answerMs }: Patience,
): Promise<void> {
  writeUnmetered(reader.socket, printConnect(destination, credentials))
  if (answerMs !== null) await expectAnswer(reader, answerMs)
  try {
    const head = await readFinalHead(reader, deadline)
    // The response was sent before the request was received: the connection had been idle for too long.
    if (head.status === REQUEST_TIMEOUT && answerMs !== null) throw new ShortcutFailed(true)
    if (head.status < 200 || head.status > 299) throw responseFailure(exit, head)
  } catch (error) {
    if (!(error instanceof HeadFault)) throw error
    throw exitFailure('failed', { status: null, word: 'http.malformed_answer' })
  }
}
