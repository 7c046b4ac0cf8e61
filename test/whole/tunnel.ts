/**
 * A tunnel that reports its received bytes, over the bare connection or inside TLS, for tests that hold one
 * open.
 */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Way } from './visitor.ts'

export interface Tunnel {
  /** The status line of the answer. */
  status: string
  /** Payload bytes received so far. */
  received: () => number
  closed: () => boolean
  send: (text: string) => void
  /** Sends the text and waits until the same number of bytes has returned. */
  echo: (text: string) => Promise<void>
  end: () => void
}

async function reach(port: number, tls: boolean): Promise<Socket> {
  const to = { host: '127.0.0.1', port }
  const socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : createConnection(to)
  await once(socket, tls ? 'secureConnect' : 'connect')
  return socket
}

/** Requests a tunnel and waits for the answer, whatever it is. */
export async function tunnel(way: Way, { tls = false } = {}): Promise<Tunnel> {
  const socket = await reach(way.port, tls)
  let bytes = 0
  let head = ''
  let isClosed = false
  socket.on('error', () => undefined)
  socket.on('close', () => (isClosed = true))
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      if (head.includes('\r\n\r\n')) {
        bytes += chunk.length
        return
      }
      const text = head + chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      head = text
      if (end < 0) return
      bytes += text.length - end - 4
      resolve()
    })
    socket.on('close', resolve)
  })
  const authority = `${way.target.host}:${way.target.port}`
  const basic = Buffer.from(`${way.login}:${way.password}`).toString('base64')
  socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
  )
  await answered
  return {
    status: head.split('\r\n')[0] ?? '',
    received: () => bytes,
    closed: () => isClosed,
    send: (text) => void socket.write(text),
    async echo(text) {
      const wanted = bytes + text.length
      socket.write(text)
      while (bytes < wanted && !isClosed) await Promise.race([once(socket, 'data'), once(socket, 'close')])
      if (bytes < wanted) throw new Error('the tunnel was closed')
    },
    end: () => socket.destroy(),
  }
}

/**
 * The open connections of each gateway worker that runs, by its number, from the metrics of a shop with this
 * token.
 */
export async function workerConnections(shop: string, token: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(`${shop}/metrics`, { headers })).text()
  const found = text.matchAll(/^turnpike_gateway_connections_open\{worker="\d+"\} (\d+)$/gm)
  return Array.from(found, ([, count]) => Number(count))
}
