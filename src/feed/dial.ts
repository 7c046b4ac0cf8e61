/** The gateway's way to a feed outside of this process tree: the stream that `connectFeed` speaks over. */

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { endWhenSilent, type FeedAddress, firstLine, greeting, WELCOME } from './handshake.ts'

export interface FeedDial {
  address: FeedAddress
  /** What both ends know. */
  token: string
  /** PEM of the authority that vouches for the server; null: those of the system. */
  ca: string | null
}

const PATIENCE_MS = 10_000

function opened({ address, ca }: FeedDial): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const isHere = 'path' in address
    const name = isHere || isIP(address.host) > 0 ? {} : { servername: address.host }
    const socket = isHere
      ? connectTcp(address.path)
      : connectTls({ ...address, ...name, minVersion: 'TLSv1.3', ...(ca === null ? {} : { ca }) })
    // Whoever waits at the moment hears of a fault by its own listener.
    socket.on('error', () => undefined)
    const timer = setTimeout(() => socket.destroy(new Error('the server does not answer')), PATIENCE_MS)
    socket.once('error', reject)
    socket.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the server closed the connection'))
    })
    socket.once(isHere ? 'connect' : 'secureConnect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** Opens a stream to the server and proves who we are. Rejects when it is away, or does not know the token. */
export async function dialFeed(dial: FeedDial): Promise<Socket> {
  const socket = await opened(dial)
  socket.setNoDelay(true)
  const welcomed = firstLine(socket, PATIENCE_MS)
  socket.write(`${greeting(dial.token)}\n`)
  try {
    const line = await welcomed
    if (line !== WELCOME) throw new Error('the server speaks another version of the feed: upgrade both')
  } catch (fault) {
    socket.destroy()
    throw fault
  }
  endWhenSilent(socket)
  return socket
}
