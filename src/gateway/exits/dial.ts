/** Connecting to a target directly, from the exit's own address. */

import type { Socket } from 'node:net'
import type { FeedExit } from '#feed'
import type { CancelSignal } from '#lib/cancel-signal'
import { parseIp, type Ip } from '#lib/ip'
import { ConnectError, connectTo } from '../sockets/socket.factory.ts'
import { connectFailure, type ExitFailure } from './failure.ts'

/** One address, while others of the target are left to try. */
const ONE_OF_SEVERAL_MS = 3000
const ALL_MS = 15_000

/** Judged addresses, tried in order. */
export interface DialTarget {
  ips: readonly Ip[]
  port: number
}

/**
 * Connects to the target, until `until` (monotonic milliseconds) at the latest; returns a paused socket. Throws an
 * ExitFailure: 502 refused or unreachable, 504 too slow.
 */
export async function dial(
  exit: FeedExit,
  target: DialTarget,
  signal: CancelSignal,
  until: number,
): Promise<Socket> {
  const localIp = exit.bind_address === null ? null : parseIp(exit.bind_address)
  const ips = target.ips.filter((ip) => localIp === null || ip.family === localIp.family)
  const deadline = Math.min(performance.now() + ALL_MS, until)
  let failure: ExitFailure | null = null
  for (const [index, ip] of ips.entries()) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) break
    const isLast = index === ips.length - 1
    try {
      return await connectTo({
        ip,
        port: target.port,
        localAddress: exit.bind_address,
        timeoutMs: isLast ? leftMs : Math.min(leftMs, ONE_OF_SEVERAL_MS),
        signal,
      })
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error
      failure = connectFailure(error.code)
    }
  }
  throw failure ?? connectFailure(ips.length === 0 ? 'EAFNOSUPPORT' : 'ETIMEDOUT')
}
