/** One request through one exit, for the operator's test of it. */

import { request as requestHttp, type IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { FeedExit } from '#feed'
import { Cancellation } from '#lib/cancel-signal'
import { portOf } from '#lib/url'
import { parseUsername } from '#proxies/grammar'
import { type HandedSocket, unreadSocket } from '../sockets/reader.ts'
import { streamOf } from '../sockets/socket.factory.ts'
import { ignoreErrors } from '../sockets/source.ts'
import type { AllowRule } from '../targets/allow.list.ts'
import { NameResolver } from '../targets/resolver.ts'
import { resolveTarget } from '../targets/rules.ts'
import { parseHost } from '../targets/target.ts'
import { openTunnel } from './chain.ts'
import { candidateOf, exitServes, stickyKey } from './choice.ts'
import { dial } from './dial.ts'
import { exitFailure } from './failure.ts'

const ALL_MS = 30_000
const MOST_SHOWN_CHARS = 300

export interface ExitTrial {
  /** The user name sent to the exit, including the settings. */
  username: string | null
  connectedMs: number
  answeredMs: number
  status: number
  bytes: number
  /** The beginning of the response's body. */
  body: string
}

interface Trial {
  url: URL
  line: string
  allow: readonly AllowRule[]
  names: NameResolver
}

async function open(exit: FeedExit, { url, line, allow, names }: Trial) {
  const { targeting } = parseUsername(line === '' ? 'operator' : `operator-${line}`)
  const key = stickyKey({ access: 0n, pool: exit.pool }, targeting, Date.now())
  const candidate = exitServes(exit, targeting) ? candidateOf(exit, targeting, key) : null
  if (candidate === null)
    throw exitFailure(
      'settings',
      { status: null, word: null },
      { code: 'no_exit', sentence: 'this exit cannot serve that targeting' },
    )
  const port = portOf(url)
  const target = { ...parseHost(url.hostname), port }
  const signal = Cancellation.after(ALL_MS)
  const ips = await resolveTarget(target, { allow, refusePorts: [], names }, { account: null, signal })
  const deadline = performance.now() + ALL_MS
  const { credentials } = candidate
  const handed: HandedSocket =
    exit.kind === 'direct'
      ? await dial(exit, { ips, port }, signal, deadline, unreadSocket)
      : await openTunnel(
          { exit, credentials, names, signal, deadline, shortcuts: null, reached: null },
          { name: target.name, ips, port },
        )
  return { handed, username: credentials?.username ?? null }
}

function encrypt(socket: Socket, host: string, ca: string | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // RFC 6066 3: an address is no server name.
    const servername = isIP(host.replace(/^\[|\]$/g, '')) > 0 ? '' : host
    const tls = connectTls({ socket, servername, host, ...(ca === undefined ? {} : { ca }) }, () =>
      resolve(tls),
    )
    tls.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(`the TLS handshake with ${host} failed: ${error.code ?? error.message}`, { cause: error }),
      ),
    )
  })
}

function get(socket: Socket, url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = requestHttp({
      createConnection: () => socket,
      host: url.hostname,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, connection: 'close', 'user-agent': 'turnpike' },
      timeout: ALL_MS,
    })
    request.once('response', resolve)
    // The handshake has left the socket paused; it is resumed once the request has its listeners.
    request.once('socket', () => setImmediate(() => socket.resume()))
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error('the target did not answer in time')))
    request.end()
  })
}

/**
 * Requests a URL through the exit as a line with these settings would (`cc-us-sid-a`). `ca` replaces the
 * system's authorities for the target's certificate. Throws a ProxyRefusal with the cause, a GrammarFault, or
 * an error of TLS or HTTP on the open connection.
 */
export async function tryExit(
  exit: FeedExit,
  url: URL,
  options: { line?: string; allow?: readonly AllowRule[]; ca?: string | undefined } = {},
): Promise<ExitTrial> {
  const startedAt = performance.now()
  const { line = '', allow = [], ca } = options
  const names = new NameResolver()
  const { handed, username } = await open(exit, { url, line, allow, names }).finally(() => names.close())
  const { early } = handed
  const socket = streamOf(handed.socket)
  const connectedMs = Math.round(performance.now() - startedAt)
  ignoreErrors(socket)
  if (early.length > 0) socket.unshift(early)
  try {
    const isEncrypted = url.protocol === 'https:'
    const answer = await get(isEncrypted ? await encrypt(socket, url.hostname, ca) : socket, url)
    const answeredMs = Math.round(performance.now() - startedAt)
    let bytes = 0
    let body = ''
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (body.length < MOST_SHOWN_CHARS)
        body += chunk.toString('utf8').slice(0, MOST_SHOWN_CHARS - body.length)
    }
    return { username, connectedMs, answeredMs, status: answer.statusCode ?? 0, bytes, body }
  } finally {
    socket.destroy()
  }
}
