/**
 * A target for tests: an HTTP server whose paths do what their names say, and a raw TCP echo. It records
 * requests, so that a test can check what reached the target.
 */

import { createHash } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export interface SeenRequest {
  method: string
  url: string
  rawHeaders: string[]
}

export interface Origin {
  host: string
  httpPort: number
  /**
   * Echoes bytes and half-closes; the first line `!reset`, `!close` or `!hang` selects the named behaviour.
   */
  echoPort: number
  /** Any HTTP request that reached it. */
  seen: SeenRequest[]
  /** Currently open connections of both servers. */
  open(): number
  /** All connections so far, of both servers. */
  made(): number
  close(): Promise<void>
}

/** Deterministic bytes, so that both ends can verify them. */
export function pattern(bytes: number): Buffer {
  const block = createHash('sha512').update('turnpike').digest()
  const whole = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at += block.length) block.copy(whole, at)
  return whole
}

const PIECE = pattern(256 * 1024)

function writeMany(response: ServerResponse, bytes: number): void {
  let left = bytes
  const more = () => {
    while (left > 0) {
      const part = PIECE.subarray(0, Math.min(left, PIECE.length))
      left -= part.length
      if (!response.write(part) && left > 0) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** `/bytes/N` sends N bytes; `/chunked/N` the same chunked; `/echo` the body; `/count` the body's length. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, path = '', argument = '0'] = (request.url ?? '').split('/')
  const amount = Number(argument)
  if (path === 'bytes') {
    response.setHeader('content-length', amount)
    writeMany(response, amount)
  } else if (path === 'chunked') {
    writeMany(response, amount)
  } else if (path === 'count') {
    let bytes = 0
    for await (const chunk of request) bytes += (chunk as Buffer).length
    response.end(String(bytes))
  } else if (path === 'echo') {
    response.end(await readAll(request))
  } else if (path === 'status') {
    response.statusCode = amount
    response.end()
  } else if (path === 'hints') {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.end('after hints')
  } else if (path === 'truncated') {
    response.setHeader('content-length', amount * 2)
    response.write(pattern(amount), () => request.socket.destroy())
  } else if (path === 'reset') {
    request.socket.resetAndDestroy()
  } else if (path === 'close') {
    request.socket.destroy()
  } else if (path === 'hang') {
    request.resume()
  } else {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.rawHeaders }))
  }
}

function echo(socket: Socket): void {
  // A client that sends nothing gets its end echoed.
  socket.once('end', () => {
    if (socket.bytesRead === 0) socket.end()
  })
  socket.once('data', (first: Buffer) => {
    const order = /^!(reset|close|hang|late|drop-after-echo)\n/.exec(first.toString('latin1'))?.[1]
    if (order === 'reset') socket.resetAndDestroy()
    else if (order === 'close') socket.end()
    else if (order === 'late') socket.on('end', () => socket.end('late')).resume()
    else if (order === 'hang') socket.pause()
    else if (order === 'drop-after-echo') socket.write(first, () => socket.resetAndDestroy())
    else {
      socket.write(first)
      socket.pipe(socket)
    }
  })
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Starts an origin on loopback; a gateway needs an exception for `127.0.0.1` to reach it. */
export async function startOrigin(): Promise<Origin> {
  const seen: SeenRequest[] = []
  const sockets = new Set<Socket>()
  let made = 0
  const track = (socket: Socket) => {
    made++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const http = createHttpServer(
    { keepAliveTimeout: 60_000, requireHostHeader: false },
    (request, response) => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', rawHeaders: request.rawHeaders })
      // Clients that disconnect abruptly are part of the tests.
      answer(request, response).catch(() => request.socket.destroy())
    },
  )
  http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', rawHeaders: request.rawHeaders })
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello')
    socket.write(head)
    socket.pipe(socket)
  })
  http.on('connection', track)
  const raw = createServer({ allowHalfOpen: true }, (socket) => {
    track(socket)
    echo(socket)
  })
  const [httpPort, echoPort] = await Promise.all([listen(http), listen(raw)])
  return {
    host: '127.0.0.1',
    httpPort,
    echoPort,
    seen,
    open: () => sockets.size,
    made: () => made,
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([http, raw].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}
