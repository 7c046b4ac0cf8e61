/** Opens the stream to a server in another process tree, on this machine or another, for `connectFeed`. */

import { connect as connectTcp, isIP, type Socket } from 'node:net'
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

function opened({ address, ca }: FeedDial): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const isUnix = 'path' in address
    const name = isUnix || isIP(address.host) > 0 ? {} : { servername: address.host }
    const socket = isUnix
      ? connectTcp(address.path)
      : connectTls({ ...address, ...name, minVersion: 'TLSv1.3', ...(ca === null ? {} : { ca }) })
    // An error is reported by the listeners below; without any, it would end the process.
    socket.on('error', () => undefined)
    const timer = setTimeout(() => socket.destroy(new Error('the server does not answer')), PATIENCE_MS)
    socket.once('error', reject)
    socket.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the server closed the connection'))
    })
    socket.once(isUnix ? 'connect' : 'secureConnect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** Opens a stream to the server and sends the token. Rejects when the server is away, or does not accept the token. */
export async function dialFeed(dial: FeedDial): Promise<Socket> {
  const socket = await opened(dial)
  socket.setNoDelay(true)
  const answered = firstLine(socket, PATIENCE_MS)
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
