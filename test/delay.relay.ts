/**
 * A relay that simulates distance to a server, and records the traffic. A program cannot delay the kernel's
 * handshake, so the first bytes of a connection are held for the time that the handshake would have taken.
 */

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface RelayedSegment {
  way: 'there' | 'back'
  bytes: Buffer
}

export interface DelayRelay {
  port: number
  /** The traffic of each connection, in the order of acceptance. */
  connections: RelayedSegment[][]
  close(): Promise<void>
}

/** Delivers in order, `delayMs` later and not before `notBefore` (monotonic milliseconds). */
function deliverer(delayMs: number, notBefore: number): (deliver: () => void) => void {
  return (deliver) => {
    const leftMs = Math.max(delayMs, notBefore - performance.now())
    setTimeout(deliver, leftMs)
  }
}

function pass(from: Socket, to: Socket, later: (deliver: () => void) => void, keep: (bytes: Buffer) => void) {
  from.on('data', (bytes: Buffer) => {
    keep(bytes)
    later(() => to.write(bytes))
  })
  from.on('end', () => later(() => to.end()))
  from.on('error', () => later(() => to.resetAndDestroy()))
  from.on('close', () => later(() => to.destroySoon()))
}

/** The number of times the client of a connection waited for the server in this part of it. */
export function roundTrips(segments: readonly RelayedSegment[]): number {
  return segments.filter(({ way }, index) => way === 'there' && segments[index - 1]?.way !== 'there').length
}

/** Relays to a port of this machine; `delayMs` is the delay of one direction. */
export async function startDelayRelay(port: number, delayMs: number): Promise<DelayRelay> {
  const connections: RelayedSegment[][] = []
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const segments: RelayedSegment[] = []
    connections.push(segments)
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    const there = deliverer(delayMs, performance.now() + 3 * delayMs)
    pass(near, far, there, (bytes) => segments.push({ way: 'there', bytes }))
    pass(far, near, deliverer(delayMs, 0), (bytes) => segments.push({ way: 'back', bytes }))
  })
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
