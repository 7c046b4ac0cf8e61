/** Connecting to a target through an exit. */

import { connect, type Socket } from 'node:net'
import { formatIp, parseIp, type Ip } from '#lib/ip'
import type { FeedExit } from './feed.ts'
import { ProxyRefusal, SOCKS_REPLY } from './refuse.ts'

/** While other addresses of the target wait, one may take this long. */
const ONE_OF_SEVERAL_MS = 3000
const ALL_MS = 15_000

/** A target as it is dialled: judged addresses, tried in order. */
export interface DialTarget {
  ips: readonly Ip[]
  port: number
}

const UNREACHABLE = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
])

function refusalFor(code: string): ProxyRefusal {
  if (code === 'ECONNREFUSED') {
    return new ProxyRefusal({
      status: 502,
      code: 'connection_refused',
      sentence: 'the target refused the connection',
      error: 'connection_refused',
      reply: SOCKS_REPLY.refused,
    })
  }
  if (code === 'ETIMEDOUT') {
    return new ProxyRefusal({
      status: 504,
      code: 'connection_timeout',
      sentence: 'the target did not answer in time',
      error: 'connection_timeout',
      reply: SOCKS_REPLY.hostUnreachable,
    })
  }
  const unreachable = UNREACHABLE.has(code)
  return new ProxyRefusal({
    status: 502,
    code: unreachable ? 'target_unreachable' : 'connection_failed',
    sentence: unreachable
      ? 'the target cannot be reached from this exit'
      : 'the connection to the target failed',
    error: unreachable ? 'destination_ip_unroutable' : 'connection_terminated',
    reply: code === 'ENETUNREACH' ? SOCKS_REPLY.networkUnreachable : SOCKS_REPLY.hostUnreachable,
  })
}

/** Errors of a socket are always heard by whoever uses it through 'close'; this keeps them from ending the process. */
export function ignoreErrors(socket: Socket): void {
  socket.on('error', () => undefined)
}

function connectOnce(options: {
  ip: Ip
  port: number
  localAddress: string | null
  timeoutMs: number
  signal: AbortSignal
}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: formatIp(options.ip),
      port: options.port,
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      ...(options.localAddress === null ? {} : { localAddress: options.localAddress }),
    })
    const settle = (outcome: Error | null) => {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', abort)
      socket.off('connect', connected)
      socket.off('error', failed)
      if (outcome === null) {
        resolve(socket)
        return
      }
      socket.destroy()
      reject(outcome)
    }
    const connected = () => settle(null)
    const failed = (fault: NodeJS.ErrnoException) => settle(refusalFor(fault.code ?? ''))
    const abort = () => settle(new Error('the client went away'))
    const timer = setTimeout(() => settle(refusalFor('ETIMEDOUT')), options.timeoutMs)
    ignoreErrors(socket)
    socket.once('connect', connected)
    socket.once('error', failed)
    options.signal.addEventListener('abort', abort)
    if (options.signal.aborted) abort()
  })
}

/**
 * Connects to the target through the exit; gives a paused socket that has sent nothing. Throws what to answer:
 * 502 refused or unreachable, 504 too slow.
 */
export async function dial(exit: FeedExit, target: DialTarget, signal: AbortSignal): Promise<Socket> {
  const localIp = exit.bind_address === null ? null : parseIp(exit.bind_address)
  const ips = target.ips.filter((ip) => localIp === null || ip.family === localIp.family)
  const deadline = performance.now() + ALL_MS
  let refusal = refusalFor('EAFNOSUPPORT')
  for (const [index, ip] of ips.entries()) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) break
    const last = index === ips.length - 1
    try {
      return await connectOnce({
        ip,
        port: target.port,
        localAddress: exit.bind_address,
        timeoutMs: last ? leftMs : Math.min(leftMs, ONE_OF_SEVERAL_MS),
        signal,
      })
    } catch (fault) {
      if (!(fault instanceof ProxyRefusal)) throw fault
      refusal = fault
    }
  }
  throw refusal
}
