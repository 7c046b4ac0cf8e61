/** Opens the stream to a server in another process tree, on this machine or another, for `connectFeed`. */

import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { endWhenSilent, type FeedAddress, firstLine, greeting, WELCOME } from './handshake.ts'

export interface FeedDial {
  address: FeedAddress
  /** The secret of both ends. */
  token: string
  /** PEM of the authority of the server's certificate; null: those of the system. */
  ca: string | null
}

const PATIENCE_MS = 10_000

/** The addresses of a host. */
type Resolve = (host: string) => Promise<string[]>

function lookupBy(resolve: Resolve): LookupFunction {
  return (host, { all = false }, done) => {
    resolve(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        if (all) done(null, found)
        else done(null, first?.address ?? '', first?.family)
      },
      (error: Error) => done(error, []),
    )
  }
}

function opened(
  { address, ca }: FeedDial,
  { resolve, patienceMs }: DialOptions & { patienceMs: number },
): Promise<Socket> {
  return new Promise((done, reject) => {
    const isUnix = 'path' in address
    const name = isUnix || isIP(address.host) > 0 ? {} : { servername: address.host }
    const lookup = resolve === undefined ? {} : { lookup: lookupBy(resolve) }
    const socket = isUnix
      ? connectTcp(address.path)
      : connectTls({ ...address, ...name, ...lookup, minVersion: 'TLSv1.3', ...(ca === null ? {} : { ca }) })
    // An error is reported by the listeners below; without any, it would end the process.
    socket.on('error', () => undefined)
    const timer = setTimeout(() => socket.destroy(new Error('the server does not answer')), patienceMs)
    socket.once('error', reject)
    socket.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the server closed the connection'))
    })
    socket.once(isUnix ? 'connect' : 'secureConnect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      done(socket)
    })
  })
}

export interface DialOptions {
  /** Looks up the server's name; default: the system. */
  resolve?: Resolve | undefined
  /** How long the server may take for each step of the handshake. Default: 10 s. */
  patienceMs?: number
}

/**
 * Opens a stream to the server and sends the token. Rejects when the server is unreachable, or does not
 * accept the token.
 */
export async function dialFeed(
  dial: FeedDial,
  { resolve, patienceMs = PATIENCE_MS }: DialOptions = {},
): Promise<Socket> {
  const socket = await opened(dial, { resolve, patienceMs })
  socket.setNoDelay(true)
  const answered = firstLine(socket, patienceMs)
  socket.write(`${greeting(dial.token)}\n`)
  try {
    const line = await answered
    if (line !== WELCOME) throw new Error('the server speaks another version of the feed: upgrade both')
  } catch (error) {
    socket.destroy()
    throw error
  }
  endWhenSilent(socket)
  return socket
}
