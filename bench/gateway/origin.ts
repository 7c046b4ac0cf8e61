/**
 * The target of the bench, a separate process. The first byte of a connection selects its behaviour: `E`
 * echoes, `D` sends bytes until the connection ends, `U` reads bytes, `G` is an HTTP GET, repeatedly, of a
 * small answer or of `/b<size>`, `M` is an exchange of the mix (`mix.exchange.ts`). It prints its ports as
 * one line of JSON, and ends with its standard input.
 */
import { writeSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { exchange } from './mix.exchange.ts'

/** The number of target ports: several, so that a proxy's many short connections find free local ports. */
const PORTS = 8
const PIECE = Buffer.alloc(256 * 1024, 'turnpike')
const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n${'x'.repeat(100)}`,
)

function send(socket: Socket): void {
  while (socket.write(PIECE));
}

const answerOf = (size: number) =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${size}\r\n\r\n`),
    Buffer.alloc(size, 'x'),
  ])

/** Answers every request whose head is complete; requests have no bodies here. */
function answer(socket: Socket): (bytes: Buffer) => void {
  const { _handle: handle } = socket as unknown as { _handle: { fd: number } | null }
  let held = ''
  return (bytes) => {
    const heads = (held + bytes.toString('latin1')).split('\r\n\r\n')
    held = heads.pop() ?? ''
    for (const head of heads) {
      const size = /^GET (?:http:\/\/[^/]+)?\/b(\d+) /.exec(head)?.[1]
      if (size !== undefined) socket.write(answerOf(Number(size)))
      else if (handle !== null) writeSync(handle.fd, ANSWER)
    }
  }
}

/** The behaviour for the bytes of a connection, selected by the first one. */
function asked(socket: Socket, first: number | undefined): (bytes: Buffer) => void {
  if (first === 0x45) return (bytes) => void socket.write(Buffer.from(bytes))
  if (first === 0x47) return answer(socket)
  if (first === 0x4d) return exchange(socket)
  if (first === 0x44) {
    socket.on('drain', () => send(socket))
    send(socket)
  }
  return () => undefined
}

function accept(socket: Socket): void {
  let act: ((bytes: Buffer) => void) | null = null
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    act ??= asked(socket, bytes[0])
    act(bytes)
  })
}

const servers = Array.from({ length: PORTS }, () =>
  createServer(accept).listen({ port: 0, host: '127.0.0.1', backlog: 4096 }),
)
await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
console.log(JSON.stringify(servers.map((server) => (server.address() as AddressInfo).port)))
process.stdin.resume().on('end', () => process.exit(0))
