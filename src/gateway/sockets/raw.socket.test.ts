import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pattern } from '#test/origin'
import { connectRaw, type RawSocket } from './raw.socket.ts'

const KIB = 1024
const PERIOD = pattern(4 * KIB * KIB)

/** A peer that repeats the same bytes, as fast as they are read. */
function pour(socket: Socket): void {
  socket.on('error', () => undefined)
  const more = () => {
    while (!socket.destroyed && socket.write(PERIOD));
  }
  socket.on('drain', more)
  more()
}

describe('a raw socket in bulk', () => {
  let server: Server
  let socket: RawSocket

  beforeEach(async () => {
    server = createServer(pour).listen(0, '127.0.0.1')
    await once(server, 'listening')
    socket = connectRaw({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      family: 4,
    })
    await once(socket, 'connect')
  })
  afterEach(() => {
    socket.destroy()
    server.close()
  })

  /** Reads until `isEnough`, comparing the bytes; returns the lengths of the reads. */
  function read(isEnough: (lengths: number[]) => boolean, afterEach: () => void): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const lengths: number[] = []
      let at = 0
      socket.receiver = {
        received(buffer, bytes) {
          for (let done = 0; done < bytes;) {
            const from = (at + done) % PERIOD.length
            const part = Math.min(bytes - done, PERIOD.length - from)
            if (PERIOD.compare(buffer, done, done + part, from, from + part) !== 0)
              reject(new Error(`other bytes than were sent, after ${at} of them`))
            done += part
          }
          at += bytes
          lengths.push(bytes)
          if (isEnough(lengths)) resolve(lengths)
          afterEach()
        },
        ended: () => reject(new Error('an end')),
        closed: () => reject(new Error('broken')),
      }
      socket.start()
    })
  }

  it('uses larger reads for a reader that accepts all of it', async () => {
    const lengths = await read(
      (soFar) => soFar.some((length) => length > 256 * KIB),
      () => undefined,
    )
    expect(lengths.slice(0, 8).every((length) => length <= 256 * KIB)).toBe(true)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(2048 * KIB)
  })

  it('never does so for a slow reader', async () => {
    const total = (lengths: number[]) => lengths.reduce((sum, length) => sum + length, 0)
    const lengths = await read(
      (soFar) => total(soFar) > 64 * KIB * KIB,
      () => {
        socket.stop()
        setImmediate(() => socket.start())
      },
    )
    expect(Math.max(...lengths)).toBeLessThanOrEqual(256 * KIB)
  })
})
