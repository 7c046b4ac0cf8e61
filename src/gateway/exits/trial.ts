/** One request through one exit, for the operator who wants to see it work. */

import { request as requestHttp, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { parseUsername } from '#proxies/grammar'
import { dialChained } from './chain.ts'
import { dial, ignoreErrors } from './dial.ts'
import { wayRefusal } from './failure.ts'
import { candidateOf, exitServes, stickyKey } from './exits.ts'
import type { FeedExit } from '#feed'
import type { RelaySide } from '../relay.ts'
import { parseHost, resolveTarget, systemResolve, type AllowRule } from '../targets/target.ts'

const ALL_MS = 30_000
const MOST_SHOWN_CHARS = 300

export interface ExitTrial {
  /** The user name shown to the exit, where the settings stand in it. */
  username: string | null
  connectedMs: number
  answeredMs: number
  status: number
  bytes: number
  /** The beginning of the answer's body. */
  body: string
}

async function open(exit: FeedExit, url: URL, line: string, allow: readonly AllowRule[]) {
  const { targeting } = parseUsername(line === '' ? 'operator' : `operator-${line}`)
  const key = stickyKey({ account: 0n, pool: exit.pool }, targeting, Date.now())
  const candidate = exitServes(exit, targeting) ? candidateOf(exit, targeting, key) : null
  if (candidate === null)
    throw wayRefusal(
      'settings',
      { status: null, word: null },
      { code: 'no_exit', sentence: 'this exit cannot serve that targeting' },
    )
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const target = { ...parseHost(url.hostname), port }
  const ips = await resolveTarget(target, { allow, refusePorts: [], resolve: systemResolve })
  const signal = AbortSignal.timeout(ALL_MS)
  const deadline = performance.now() + ALL_MS
  const { credentials } = candidate
  const side: RelaySide =
    exit.kind === 'direct'
      ? { socket: await dial(exit, { ips, port }, signal, deadline), ended: false, early: Buffer.alloc(0) }
      : await dialChained(
          { exit, credentials, resolve: systemResolve, signal, deadline },
          { name: target.name, ips, port },
        )
  return { side, username: credentials?.username ?? null }
}

function encrypt(socket: Socket, servername: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const tls = connectTls({ socket, servername }, () => resolve(tls))
    tls.once('error', reject)
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
    // The handshake with the exit has left it paused; it may flow once the request listens.
    request.once('socket', () => setImmediate(() => socket.resume()))
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error('the target did not answer in time')))
    request.end()
  })
}

/**
 * Gets a URL through the exit as a line with these settings would (`cc-us-sid-a`). Throws a ProxyRefusal that says what
 * failed, a GrammarFault, or what went wrong behind the open connection.
 */
export async function tryExit(
  exit: FeedExit,
  url: URL,
  options: { line?: string; allow?: readonly AllowRule[] } = {},
): Promise<ExitTrial> {
  const startedAt = performance.now()
  const { side, username } = await open(exit, url, options.line ?? '', options.allow ?? [])
  const { socket, early } = side
  const connectedMs = Math.round(performance.now() - startedAt)
  ignoreErrors(socket)
  if (early.length > 0) socket.unshift(early)
  try {
    const answer = await get(url.protocol === 'https:' ? await encrypt(socket, url.hostname) : socket, url)
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
