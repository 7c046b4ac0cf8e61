import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ConnectionClosed, ReadTimeout, SocketReader } from './reader.ts'

const server = createServer({ pauseOnConnect: true })
let near: Socket | null = null

async function accepted(): Promise<Socket> {
  server.listen({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  near = connect({ port, host: '127.0.0.1' })
  const [socket] = (await once(server, 'connection')) as [Socket]
  return socket
}

const closeOf = (socket: Socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()))

afterEach(() => {
  near?.destroy()
  server.close()
})

it('a reader rejects the pending read and each later one with the error of the connection', async () => {
  const socket = await accepted()
  const reader = new SocketReader(socket)
  expect(reader.isClosed).toBe(false)
  const waiting = reader.read()
  const closed = closeOf(socket)
  socket.destroy(new Error('the cable was cut'))
  await expect(waiting).rejects.toThrow(ConnectionClosed)
  await closed
  expect(reader.isClosed).toBe(true)
  for (const read of [reader.read(), reader.read(1000)]) {
    const error = (await read.catch((fault: unknown) => fault)) as ConnectionClosed
    expect(error).toBeInstanceOf(ConnectionClosed)
    expect(error.message).toBe('the cable was cut')
    expect(error.cause).toMatchObject({ message: 'the cable was cut' })
  }
})

it('a reader returns what arrived before the connection was closed on this side, then the reason', async () => {
  const socket = await accepted()
  const reader = new SocketReader(socket)
  near?.write('last words')
  await once(socket, 'data')
  const closed = closeOf(socket)
  socket.destroy()
  await closed
  expect(String(await reader.read())).toBe('last words')
  await expect(reader.read()).rejects.toThrow('the connection was closed')
})

describe('bytes that are passed on as they are received', () => {
  const idle = { activeAt: Infinity }
  const openReader = async () => {
    const socket = await accepted()
    return { socket, reader: new SocketReader(socket) }
  }

  it('go to the receiver until it has enough; the rest is read later', async () => {
    const { socket, reader } = await openReader()
    near?.write('buffered ')
    await once(socket, 'data')
    const got: string[] = []
    const accept = (chunk: Buffer) => {
      got.push(String(chunk))
      return got.join('').endsWith('enough') ? got.length : null
    }
    const passed = reader.pass(accept, 10_000, idle)
    near?.write('first ')
    await once(socket, 'data')
    near?.write('enough')
    expect(await passed).toBe(3)
    expect(got).toEqual(['buffered ', 'first ', 'enough'])
    near?.write('later')
    expect(String(await reader.read())).toBe('later')
  })

  it('end with the stream', async () => {
    const { reader } = await openReader()
    const passed = reader.pass(() => null, 10_000, idle)
    near?.end('all of it')
    expect(await passed).toBeNull()
    expect(await reader.pass(() => null, 10_000, idle)).toBeNull()
  })

  it('are an error of the call when the receiver throws, and nothing is lost behind it', async () => {
    const { reader } = await openReader()
    const passed = reader.pass(
      (chunk) => {
        reader.unread(chunk.subarray(3))
        throw new Error('no such chunk')
      },
      10_000,
      idle,
    )
    near?.write('badrest')
    await expect(passed).rejects.toThrow('no such chunk')
    expect(String(await reader.read())).toBe('rest')
  })

  it('are not awaited for longer than the time since the last activity', async () => {
    const { reader } = await openReader()
    await expect(reader.pass(() => null, 1, { activeAt: -Infinity })).rejects.toThrow(ReadTimeout)
    const closed = reader.pass(() => null, 10_000, idle)
    reader.socket.destroy()
    await expect(closed).rejects.toThrow(ConnectionClosed)
  })
})
