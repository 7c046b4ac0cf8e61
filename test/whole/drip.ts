/** A tunnel in ping-pong with an echo, with a record of the minimum of relayed bytes at every time. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import type { Way } from './visitor.ts'

const message = Buffer.alloc(8192, 'drip ')

export interface Drip {
  /** Resolves when the tunnel has ended in any way. */
  ended: Promise<void>
  /** Payload bytes whose round trip was complete at this time of performance.now(). */
  relayedLeast: (at: number) => number
  /** The maximum that can have been relayed: the bytes sent, and the same amount returned. */
  relayedMost: () => number
}

/** Opens a tunnel; resolves with its socket once the gateway has answered 200. */
async function open(way: Way): Promise<Socket> {
  const socket = createConnection({ host: '127.0.0.1', port: way.port, noDelay: true })
  await once(socket, 'connect')
  const authority = `${way.target.host}:${way.target.port}`
  const basic = Buffer.from(`${way.login}:${way.password}`).toString('base64')
  socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) {
    socket.destroy()
    throw new Error(answer.toString('latin1').split('\r\n')[0])
  }
  return socket
}

/** Whether a tunnel can be opened; without payload. */
export async function opens(way: Way): Promise<boolean> {
  return open(way).then(
    (socket) => {
      socket.destroy()
      return true
    },
    () => false,
  )
}

export async function drip(way: Way): Promise<Drip> {
  const socket = await open(way)
  const trips: number[] = []
  let pending = 0
  let sent = 0
  const send = () => {
    pending = message.length
    sent += message.length
    socket.write(message)
  }
  socket.on('data', (chunk: Buffer) => {
    pending -= chunk.length
    if (pending > 0) return
    trips.push(performance.now())
    send()
  })
  // These tunnels are meant to be cut.
  socket.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  send()
  return {
    ended,
    relayedLeast: (at) => 2 * message.length * trips.filter((time) => time <= at).length,
    relayedMost: () => 2 * sent,
  }
}
