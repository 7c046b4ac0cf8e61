/**
 * TLS towards the client: what has been read of a connection and everything after it goes through a handshake, and
 * what comes out is a socket like any other, over which the same protocols are spoken.
 */

import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificates } from './certificates.ts'
import type { Inlet } from './reader.ts'

/** The connection that carries a TLS socket. */
const carriers = new WeakMap<Socket, Socket>()

/**
 * Shakes hands over the inlet's socket, which is the TLS socket's from here on. Null when the client went away, was too
 * slow, or speaks no TLS that we do; the connection is closed then.
 */
export function secure(
  inlet: Inlet,
  certificates: Certificates,
  timeoutMs: number,
): Promise<TLSSocket | null> {
  const { socket } = inlet
  const early = inlet.release()
  if (early.length > 0) socket.unshift(early)
  const { fallback } = certificates
  const tls = new TLSSocket(socket, {
    isServer: true,
    ...(fallback === undefined ? {} : { secureContext: fallback }),
    SNICallback: (name, done) => done(null, certificates.contextFor(name)),
    ALPNProtocols: ['http/1.1'],
  })
  carriers.set(tls, socket)
  return new Promise((resolve) => {
    const settle = (shaken: TLSSocket | null) => {
      clearTimeout(timer)
      tls.off('secure', done)
      tls.off('_tlsError', failed)
      tls.off('close', failed)
      if (shaken === null) {
        tls.destroy()
        socket.destroy()
      }
      resolve(shaken)
    }
    const done = () => settle(tls)
    const failed = () => settle(null)
    const timer = setTimeout(failed, timeoutMs)
    // Errors are heard by whoever uses the socket through 'close'.
    tls.on('error', () => undefined)
    tls.on('secure', done)
    tls.on('_tlsError', failed)
    tls.on('close', failed)
  })
}

/** Ends a connection with RST, through TLS too. */
export function reset(socket: Socket): void {
  const carrier = carriers.get(socket)
  if (carrier === undefined) {
    // Towards an exit TLS stands on a connection of its own, which has no RST to send.
    if (socket instanceof TLSSocket) socket.destroy()
    else socket.resetAndDestroy()
    return
  }
  carrier.resetAndDestroy()
  socket.destroy()
}
