import { type EventEmitter, once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pattern } from '#test/origin'
import { SocketWriter } from './writer.ts'
import { connectRaw } from './raw.socket.ts'
import { type AnySocket, sourceOf } from './source.ts'

const WHOLE = 32 * 1024 * 1024

const listening = (flushed: (bytes: number) => void = () => undefined) => ({
  flushed,
  writeFailed: () => undefined,
})

describe.each(['raw', 'stream'] as const)('a writer to a %s socket', (kind) => {
  let server: Server
  let near: AnySocket & EventEmitter
  let far: Socket

  beforeEach(async () => {
    server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    near = kind === 'raw' ? connectRaw({ port, host: '127.0.0.1', family: 4 }) : connect(port, '127.0.0.1')
    const [[accepted]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
      [Socket],
      unknown,
    ]
    far = accepted
    near.on('error', () => undefined)
    far.on('error', () => undefined)
  })
  afterEach(() => {
    near.destroy()
    far.destroy()
    server.close()
  })

  const closed = () => new Promise<void>((resolve) => near.once('close', () => resolve()))

  /** Writes more than the kernel accepts, and waits until it accepts no more; returns the rest. */
  async function stuck(writer: SocketWriter): Promise<number> {
    const taken = writer.write(pattern(WHOLE), WHOLE, true, listening())
    expect(writer.pending).toBe(WHOLE - taken)
    expect(taken > 0).toBe(kind === 'raw')
    let before = -1
    while (writer.unsentBytes() !== before) {
      before = writer.unsentBytes()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(before).toBeGreaterThan(1_000_000)
    expect(before).toBeLessThan(WHOLE)
    return before
  }

  it('reports the bytes that the kernel did not accept when the peer resets while the socket is not read', async () => {
    const writer = new SocketWriter(near)
    const left = await stuck(writer)
    let heard = -1
    near.once('error', () => (heard = writer.unsentBytes()))
    far.resetAndDestroy()
    await closed()
    expect(heard).toBe(left)
  })

  it('reports them when the peer resets while the socket is read', async () => {
    sourceOf(near).start()
    const writer = new SocketWriter(near)
    const left = await stuck(writer)
    let heard = -1
    near.once('error', () => (heard = writer.unsentBytes()))
    far.resetAndDestroy()
    await closed()
    expect(heard).toBe(left)
  })

  it('reports that a dead socket accepted nothing', async () => {
    const writer = new SocketWriter(near)
    far.resetAndDestroy()
    await once(far, 'close')
    let heard = -1
    near.once('error', () => (heard = writer.unsentBytes()))
    expect(writer.write(pattern(100_000), 100_000, true, listening())).toBe(0)
    expect(writer.unsentBytes()).toBe(100_000)
    await closed()
    expect(heard).toBe(100_000)
  })

  it('reports them before the socket is destroyed, and none after a flush', async () => {
    const writer = new SocketWriter(near)
    const left = await stuck(writer)
    const inflight = writer.pending
    expect(writer.unsentBytes()).toBe(left)
    let received = 0
    far.on('data', (chunk: Buffer) => (received += chunk.length)).resume()
    const flushed = new Promise<number>((resolve) => {
      expect(writer.write(pattern(10), 10, true, listening(resolve))).toBe(0)
    })
    expect(writer.pending).toBe(inflight + 10)
    expect(await flushed).toBe(10)
    expect(writer.pending).toBe(0)
    expect(writer.unsentBytes()).toBe(0)
    near.end()
    await once(far, 'end')
    expect(received).toBe(WHOLE + 10)
  })

  it('copies bytes whose buffer is reused', async () => {
    const writer = new SocketWriter(near)
    const shared = Buffer.alloc(WHOLE, 'a')
    const whole = new Promise<void>((resolve) => {
      if (
        writer.write(
          shared,
          WHOLE,
          false,
          listening(() => resolve()),
        ) === WHOLE
      )
        resolve()
    })
    shared.fill('b')
    let foreign = 0
    far.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte !== 97) foreign++
    })
    far.resume()
    await whole
    near.end()
    await once(far, 'end')
    expect(foreign).toBe(0)
  })
})
