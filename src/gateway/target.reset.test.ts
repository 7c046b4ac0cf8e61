import { once } from 'node:events'
import { readFileSync, writeSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { pattern } from '#test/origin'
import { basic, type Bench, startBench } from './testing/bench.ts'

let bench: Bench
let target: Server
/** The target's side of the connection. */
let accepted: Promise<Socket>

beforeEach(async () => {
  bench = await startBench()
  target = createServer().listen(0, '127.0.0.1')
  accepted = once(target, 'connection').then(([socket]: Socket[]) => {
    socket?.on('error', () => undefined)
    return socket as Socket
  })
  await once(target, 'listening')
})

afterEach(async () => {
  expect(bench.errors).toEqual([])
  await bench.close()
  target.close()
})

const port = () => (target.address() as AddressInfo).port

/**
 * What the kernel holds of the connection between these ports, on the side of the first: bytes unsent, and
 * unread.
 */
function held(local: number, remote: number): { unsent: number; unread: number } | null {
  const address = (number: number) => `0100007F:${number.toString(16).padStart(4, '0').toUpperCase()}`
  // ESTABLISHED or CLOSE_WAIT.
  const line = new RegExp(`${address(local)} ${address(remote)} 0[18] ([0-9A-F]{8}):([0-9A-F]{8}) `)
  const found = line.exec(readFileSync('/proc/net/tcp', 'latin1'))
  return found === null
    ? null
    : { unsent: parseInt(found[1] ?? '', 16), unread: parseInt(found[2] ?? '', 16) }
}

/** The number of bytes that the kernel accepts at once. */
function push(socket: Socket, bytes: Buffer): number {
  const { _handle: handle } = socket as unknown as { _handle: { fd: number } }
  try {
    return writeSync(handle.fd, bytes)
  } catch {
    return 0
  }
}

/** Samples this until it has not changed for this number of times, 10 ms apart. */
async function steady(sample: () => unknown, samples = 10): Promise<void> {
  let last = ''
  let same = 0
  await eventually(() => {
    const now = JSON.stringify(sample())
    same = now === last ? same + 1 : 0
    last = now
    return same >= samples
  }, 'the buffers to stay as they are')
}

/**
 * Sends until the gateway reads no more and its kernel is full, then resets; returns how much that had
 * received.
 */
async function fillAndReset(socket: Socket): Promise<number> {
  const gateway = socket.remotePort ?? 0
  const piece = pattern(256 * 1024)
  let pushed = 0
  await steady(() => {
    pushed += push(socket, piece)
    return [pushed, held(port(), gateway), held(gateway, port())]
  })
  expect(held(gateway, port())?.unread).toBeGreaterThan(16_000)
  const unsent = held(port(), gateway)?.unsent ?? 0
  socket.resetAndDestroy()
  await eventually(() => held(gateway, port()) === null, 'the reset')
  return pushed - unsent
}

describe('what a target sent before it reset the connection', () => {
  it.each(['nothing', 'bytes', 'the end'])(
    'reaches a client that was slow and then sends %s',
    async (what) => {
      const client = await bench.say('').connect(`127.0.0.1:${port()}`, basic())
      client.socket.pause()
      const head = client.bytes.length
      const socket = await accepted
      const sent = await fillAndReset(socket)
      if (what === 'bytes') client.write('more')
      if (what === 'the end') client.socket.end()
      // The gateway has read it, and written to the target.
      await eventually(
        () => held(bench.port, client.socket.localPort ?? 0)?.unread === 0,
        'the bytes to be read',
      )
      await steady(() => bench.gateway.stats().tunnelsOpen, 3)
      client.socket.resume()
      await client.untilEnd()
      expect(client.bytes.length - head).toBe(sent)
      expect(client.failed).toBe(null)
      await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
      await eventually(() => bench.feed.leases.size === 0, 'the lease to go back')
      expect(bench.feed.charged.get(1n)).toBe(BigInt(sent))
    },
  )

  it('reaches the client of a request whose body the target did not read to its end', async () => {
    const head = `POST http://127.0.0.1:${port()}/ HTTP/1.1\r\nHost: x\r\n${basic()}Content-Length: 10000000\r\n\r\n`
    const client = bench.say(head)
    const socket = await accepted
    await once(socket, 'data')
    // Both arrive within one turn of the gateway's event loop, the client's bytes first.
    client.write(Buffer.alloc(1000))
    socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large')
    socket.resetAndDestroy()
    await client.untilEnd()
    expect(client.text).toMatch(/^HTTP\/1\.1 413 [^]*too large$/)
  })
})
