/**
 * Measures what is charged beyond what was read, when a reader that is slower than loopback resets its
 * connection: a client that aborts a download, and a target that aborts an upload. Run in a network of its
 * own (`unread.test.ts`).
 */

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { basic, startBench } from './bench.ts'

const READ_BYTES = 3_000_000
const SENT_BYTES = 40_000_000
const PIECE = Buffer.alloc(256 * 1024)

/** Sends until the connection ends. */
function send(socket: Socket): void {
  let left = SENT_BYTES
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= PIECE.length
      if (!socket.write(PIECE)) return void socket.once('drain', more)
    }
  }
  more()
}

/**
 * Reads some bytes, with pauses in which all buffers fill, then resets the connection; returns how many were
 * read.
 */
async function readAndReset(socket: Socket): Promise<number> {
  let read = 0
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    read += (chunk as Buffer).length
    if (read >= READ_BYTES) break
    await pause(4)
  }
  await pause(200)
  socket.resetAndDestroy()
  return read
}

/** One tunnel; the target sends or reads, as `direction` says. */
async function measure(direction: 'down' | 'up'): Promise<{ read: number; charged: number }> {
  const bench = await startBench()
  let readByTarget: Promise<number> | null = null
  const target = createServer((socket) => {
    socket.on('error', () => undefined)
    if (direction === 'down') send(socket)
    else readByTarget = readAndReset(socket)
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as AddressInfo
  const client = connect(bench.port, '127.0.0.1')
  client.on('error', () => undefined)
  client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${basic()}\r\n`)
  await new Promise((resolve) => client.once('readable', resolve))
  // Its blank line and what follows stay in the socket.
  const status = String(client.read(12) ?? '')
  if (status !== 'HTTP/1.1 200') throw new Error(`the gateway answered ${status}`)
  let read: number
  if (direction === 'down') read = await readAndReset(client)
  else {
    client.read()
    send(client)
    while (readByTarget === null) await pause(10)
    read = await (readByTarget as Promise<number>)
  }
  while (bench.gateway.stats().tunnelsOpen > 0) await pause(10)
  await bench.gateway.stop({ graceMs: 0 })
  const charged = Number([...bench.feed.charged.values()].reduce((sum, bytes) => sum + bytes, 0n))
  await bench.close()
  target.close()
  return { read, charged }
}

process.stdout.write(`${JSON.stringify({ down: await measure('down'), up: await measure('up') })}\n`)
